// What the phases of an overload come to.

import type { ProbeName } from '../programs/probes.js';
import type { Phase } from './phase.js';
import { answerMs } from './probe-times.js';

export interface Verdict {
  /** The slowest answer of each service in all phases in which it was there, and how many calls got none: milliseconds. */
  readonly slowestDiscoveryMs: number;
  readonly slowestProvisionerMs: number;
  readonly unanswered: number;
  /** Every one of them was answered within a second, and there were some in each phase. */
  readonly answeredWithinASecond: boolean;
  /** All nodes were known, or waited in the queue, at the end of each phase that waits for it. */
  readonly allKnown: boolean;
  readonly expired: number;
  /** No storm came again: where nodes come all at once, no peak was as high as the first. */
  readonly peaksFall: boolean;
}

const asked: Readonly<Record<'discovery' | 'provisioner', readonly ProbeName[]>> = {
  discovery: ['health', 'listNodes', 'readyz', 'metrics'],
  provisioner: ['getStatus'],
};

/** Those in which nodes come all at once; in others they come at their pace, in waves as even as they were taken. */
const storms: readonly string[] = ['arrival', 'discoveryAway', 'discoveryBack'];

/** @param phases by their names: a service is away in `discoveryAway` and `provisionerAway` */
export function verdictOf(phases: Readonly<Record<string, Phase>>, nodes: number): Verdict {
  const slowest = (service: keyof typeof asked) =>
    Math.max(0, ...timesOf(phases, service).map(({ max }) => max));
  const times = [...timesOf(phases, 'discovery'), ...timesOf(phases, 'provisioner')];
  const unanswered = times.reduce((sum, { failed }) => sum + failed, 0);
  const [slowestDiscoveryMs, slowestProvisionerMs] = [slowest('discovery'), slowest('provisioner')];
  const all = Object.values(phases);
  return {
    slowestDiscoveryMs,
    slowestProvisionerMs,
    unanswered,
    answeredWithinASecond: times.every(
      ({ count, failed, max }) => count > 0 && failed === 0 && max <= answerMs,
    ),
    allKnown: Object.entries(phases).every(([name, { known }]) => name.endsWith('Away') || known === nodes),
    expired: all.reduce((sum, { expired }) => sum + expired, 0),
    peaksFall: storms.every((name) => {
      const { reports } = phases[name] ?? {};
      return reports === undefined || reports.perSecondAgain < reports.perSecondFirst;
    }),
  };
}

function timesOf(phases: Readonly<Record<string, Phase>>, service: keyof typeof asked) {
  return Object.entries(phases)
    .filter(([name]) => name !== `${service}Away`)
    .flatMap(([, { probes }]) => asked[service].map((name) => probes[name]));
}
