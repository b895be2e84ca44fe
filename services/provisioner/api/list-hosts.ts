// ListHosts: known hosts page by page, ordered by identity. A token names the host that the next page begins behind, so
// that it does not matter what comes and goes in between.

import { z } from 'zod';
import { HostState as WireState } from '../../../shared/gen/slipway/provisioner/v1/host.js';
import {
  type ListHostsRequest,
  type ListHostsResponse,
  Host as WireHost,
} from '../../../shared/gen/slipway/provisioner/v1/provisioner.js';
import { fitting, nameBefore, tokenAfter } from '../../../shared/wire/pages.js';
import type { HostState } from '../fleet/admission.js';
import type { Accounts } from '../standing/accounts.js';
import { checked, choices } from './arguments.js';
import { toHost } from './convert-host.js';
import { identityPrefixArgument } from './identity-argument.js';
import { pageSizeArgument } from './page-size-argument.js';

const requestSchema = z.object({
  pageSize: pageSizeArgument,
  pageToken: z.string().transform((token, context) => {
    const after = nameBefore(token);
    if (after !== undefined) return after;
    context.addIssue({ code: 'custom', message: 'is none that ListHosts gave' });
    return z.NEVER;
  }),
  states: choices(
    z.number().transform((number, context) => {
      const state = stateByNumber.get(number);
      if (state !== undefined) return state;
      context.addIssue({ code: 'custom', message: `${number} is no state` });
      return z.NEVER;
    }),
  ),
  identityPrefix: identityPrefixArgument,
});

const stateByNumber: ReadonlyMap<number, HostState | 'RELEASED'> = new Map(
  (['QUEUED', 'RUNNING', 'HELD', 'BACKING_OFF', 'RELEASED'] as const).map((state) => [
    WireState[state],
    state,
  ]),
);

/** @throws RpcError INVALID_ARGUMENT */
export function listHosts(accounts: Accounts, request: ListHostsRequest): ListHostsResponse {
  const {
    pageSize: size,
    pageToken: after,
    states,
    identityPrefix: prefix,
  } = checked(requestSchema, request);
  const { hosts, more } = accounts.page({
    after,
    prefix,
    size,
    // No known host is released.
    states: states.length === 0 ? undefined : new Set(states.filter((state) => state !== 'RELEASED')),
  });
  const found = hosts.map(toHost);
  const shown = found.slice(
    0,
    fitting(found, (host) => WireHost.encode(host).finish().length),
  );
  const isLast = !more && shown.length === found.length;
  return { hosts: shown, nextPageToken: isLast ? '' : tokenAfter(shown.at(-1)?.identity ?? '') };
}
