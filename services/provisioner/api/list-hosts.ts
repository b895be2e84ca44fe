// ListHosts: known hosts page by page, ordered by identity. A token names the host that the next page begins behind, so
// that it does not matter what comes and goes in between.

import { z } from 'zod';
import { HostState as WireState } from '../../../shared/gen/slipway/provisioner/v1/host.js';
import type {
  ListHostsRequest,
  ListHostsResponse,
} from '../../../shared/gen/slipway/provisioner/v1/provisioner.js';
import type { HostState } from '../fleet/admission.js';
import type { Accounts } from '../standing/accounts.js';
import { checked } from './arguments.js';
import { toHost } from './convert-host.js';

const defaultPageSize = 100;
const largestPageSize = 1000;

const tokenStart = 'after:';

const requestSchema = z.object({
  /** More than the largest page counts as the largest. */
  pageSize: z
    .number()
    .min(0, { error: `expected a number from 0 to ${largestPageSize}` })
    .transform((size) => (size === 0 ? defaultPageSize : Math.min(size, largestPageSize))),
  pageToken: z.string().transform((token, context) => {
    const text = Buffer.from(token, 'base64url').toString();
    if (text.startsWith(tokenStart)) return text.slice(tokenStart.length);
    if (token === '') return '';
    context.addIssue({ code: 'custom', message: 'is none that ListHosts gave' });
    return z.NEVER;
  }),
  states: z.array(
    z.number().transform((number, context) => {
      const state = stateByNumber.get(number);
      if (state !== undefined) return state;
      context.addIssue({ code: 'custom', message: `${number} is no state` });
      return z.NEVER;
    }),
  ),
  identityPrefix: z.string().transform((prefix) => prefix.toLowerCase()),
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
  const last = hosts.at(-1);
  return {
    hosts: hosts.map(toHost),
    nextPageToken:
      more && last !== undefined ? Buffer.from(`${tokenStart}${last.identity}`).toString('base64url') : '',
  };
}
