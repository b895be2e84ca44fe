// What the phases of an overload come to.

import type { ProbeName } from '../programs/probes.js';
import type { Phase } from './phase.js';
import { answerMs } from './probe-times.js';

export interface Verdict {
  /** The slowest answer of each service in all phases in which it was there, and how many calls got none: milliseconds. */
  readonly slowestDiscoveryMs: number;
  readonly slowestProvisionerMs: number;
  readonly unanswered: number;
  /** Every one of them was answered within a second. */
  readonly answeredWithinASecond: boolean;
  /** All nodes were known, or waited in the queue, at the end of each phase that waits for it. */
  readonly allKnown: boolean;
  readonly expired: number;
  /** No storm came again: after the first peak of each phase none was as high. */
  readonly peaksFall: boolean;
}

const asked: Readonly<Record<'discovery' | 'provisioner', readonly ProbeName[]>> = {
  discovery: ['health', 'listNodes', 'readyz', 'metrics'],
  provisioner: ['getStatus'],
};

/** @param phases by their names: a service is away in `discoveryAway` and `provisionerAway` */
export function verdictOf(phases: Readonly<Record<string, Phase>>, nodes: number): Verdict {
  const slowest = (service: keyof typeof asked) =>
    Math.max(0, ...timesOf(phases, service).map(({ max }) => max));
  const unanswered = [...timesOf(phases, 'discovery'), ...timesOf(phases, 'provisioner')].reduce(
    (sum, { failed }) => sum + failed,
    0,
  );
  const [slowestDiscoveryMs, slowestProvisionerMs] = [slowest('discovery'), slowest('provisioner')];
  const all = Object.values(phases);
  return {
    slowestDiscoveryMs,
    slowestProvisionerMs,
    unanswered,
    answeredWithinASecond: unanswered === 0 && Math.max(slowestDiscoveryMs, slowestProvisionerMs) <= answerMs,
    allKnown: Object.entries(phases).every(([name, { known }]) => name.endsWith('Away') || known === nodes),
    expired: all.reduce((sum, { expired }) => sum + expired, 0),
    peaksFall: all.every(({ reports: { perSecondMost, perSecondAgain } }) => perSecondAgain < perSecondMost),
  };
}

function timesOf(phases: Readonly<Record<string, Phase>>, service: keyof typeof asked) {
  return Object.entries(phases)
    .filter(([name]) => name !== `${service}Away`)
    .flatMap(([, { probes }]) => asked[service].map((name) => probes[name]));
}
