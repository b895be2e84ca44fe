// A fleet that reports at once, each node over connections of its own, and comes back after outages of either service:
// whether discovery paces it, and answers everybody else meanwhile.

import { Stack } from '../../../cli/launch/stack.js';
import { helperSettings } from '../fleet/helper.js';
import { dispose } from '../fleet/stack.js';
import type { BenchOptions } from '../options.js';
import { ReportingFleet } from '../overload/fleet.js';
import { Observer } from '../overload/observer.js';
import type { Course, Phase } from '../overload/phase.js';
import { type Verdict, verdictOf } from '../overload/verdict.js';

export interface Overloaded {
  /** The phases, and what they come to. */
  readonly rounds: readonly [Readonly<Record<PhaseName, Phase>> & { readonly verdict: Verdict }];
  /** Numbers for each five seconds. */
  readonly courses: Readonly<Record<PhaseName, Course>>;
}

const phaseNames = [
  'arrival',
  'steady',
  'discoveryAway',
  'discoveryBack',
  'provisionerAway',
  'provisionerBack',
] as const;

type PhaseName = (typeof phaseNames)[number];

/** How long a fleet may take to be known, and each node of it more: milliseconds. */
const patienceMs = 120_000;
const patienceOfEachMs = 20;

export async function measureOverload(
  { fleet: { nodes, tls, helper }, outageMs, steadyMs, keep }: BenchOptions,
  folder: () => string,
  say: (text: string) => void,
): Promise<Overloaded> {
  const stack = await Stack.prepare({
    directory: folder(),
    nodes,
    ...helperSettings(helper),
    tls: tls ? 'required' : 'insecure',
    // Whoever dials a node waits in vain: one host runs for ever, and all others stay in the queue.
    provisioner: {
      ...helperSettings(helper),
      workers: 1,
      identify_timeout: '1d',
      run_timeout: '1d',
      queue_limit: 2 * nodes,
    },
  });
  const longestMs = patienceMs + nodes * patienceOfEachMs;
  const phases: Partial<Record<PhaseName, Phase>> = {};
  const courses: Partial<Record<PhaseName, Course>> = {};
  let fleet: ReportingFleet | undefined;
  let observer: Observer | undefined;
  try {
    let discoveryPid = (await stack.start('discovery')).pid;
    await stack.start('provisioner');
    fleet = await ReportingFleet.prepare(stack, nodes, tls);
    observer = await Observer.start({ stack, fleet, tls, discoveryPid: () => discoveryPid });
    const looking = observer;
    const look = async (name: PhaseName, ...how: Parameters<Observer['phase']>) => {
      const { phase, course } = await looking.phase(...how);
      phases[name] = phase;
      courses[name] = course;
      say(`${name}: ${JSON.stringify(phase)}`);
      for (const [what, counts] of Object.entries(course)) say(`  ${what} in 5 s: ${counts.join(' ')}`);
    };
    const known = () => looking.known();
    const hosts = () => looking.hosts();

    fleet.begin();
    await look('arrival', known, nodes, longestMs);
    await look('steady', known, undefined, steadyMs);
    await stack.end('discovery', 'SIGKILL');
    await look('discoveryAway', async () => 0, undefined, outageMs);
    discoveryPid = (await stack.start('discovery')).pid;
    await look('discoveryBack', known, nodes, longestMs);
    await stack.end('provisioner', 'SIGKILL');
    await look('provisionerAway', hosts, undefined, outageMs);
    await stack.start('provisioner');
    await look('provisionerBack', hosts, nodes, longestMs);
    const all = phases as Record<PhaseName, Phase>;
    return {
      rounds: [{ ...all, verdict: verdictOf(all, nodes) }],
      courses: courses as Record<PhaseName, Course>,
    };
  } finally {
    observer?.kill();
    fleet?.kill();
    dispose(stack, keep);
  }
}
