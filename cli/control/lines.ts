// What became of a request for one host, in a sentence.

import { HostState, Outcome } from '../../shared/gen/slipway/provisioner/v1/host.js';
import type {
  ProvisionHostResponse,
  ReleaseHostResponse,
  ReprovisionHostResponse,
} from '../../shared/gen/slipway/provisioner/v1/provisioner.js';
import { printable } from '../../shared/printable.js';
import { whereIn } from '../hosts/rows.js';
import { wireSpan } from '../text/moments.js';
import { nameOf } from '../text/name.js';
import { stateName } from '../words/states.js';

/** That the host is queued, or that a run works on it already. */
export function provisionLine(identity: string, { host }: ProvisionHostResponse): string {
  const name = printable(identity);
  if (host === undefined) return `${name} is to be provisioned`;
  const where = whereIn(host);
  if (host.state !== HostState.RUNNING)
    return `${name} is ${stateName(host.state)}${where === '' ? '' : ` (${where})`}`;
  return `a run works on ${name} already${where === '' ? '' : `, at ${where}`}: ${printable(host.runId)}`;
}

/** When the node restarts, and under which run id it was asked. */
export function reprovisionLine(identity: string, response: ReprovisionHostResponse): string {
  const { message, restartingIn, runId } = response;
  const when = restartingIn === undefined ? 'soon' : `in ${wireSpan(restartingIn)}`;
  const said = message === '' ? '' : `: ${printable(message)}`;
  return `${printable(identity)} restarts into provisioning mode ${when}, asked as ${printable(runId)}${said}`;
}

/** What state the host was in, and how the run ended that worked on it. */
export function releaseLine(
  identity: string,
  { previousState, runId, outcome }: ReleaseHostResponse,
): string {
  const run = runId === '' ? '' : `; its run ${printable(runId)} ended as ${nameOf(Outcome, outcome)}`;
  return `${printable(identity)} is released; it was ${stateName(previousState)}${run}`;
}
