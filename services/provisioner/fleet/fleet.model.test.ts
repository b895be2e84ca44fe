// Any order of sightings, departures, ends of runs, failures of the helper, pauses and time keeps the promises of design, section 5.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { settle } from '../../../test/fakes/fake-clock.js';
import type { FakeRun } from '../../../test/fakes/fake-runs.js';
import { FleetBench } from '../../../test/fakes/fleet-bench.js';
import { cameUp, gone, sighted } from '../../../test/fakes/node-events.js';
import type { Outcome } from '../run/outcome.js';

const workers = 2;
const queueLimit = 3;
const breakerLimit = 2;
const dayMs = 86_400_000;

type Step =
  | { do: 'SIGHT'; name: string; boot: number; discovery: string; address: string }
  | { do: 'LEAVE'; name: string; boot: number }
  | { do: 'COME_UP'; name: string; boot: number; ofItsRun: boolean }
  | { do: 'END'; run: number; outcome: Outcome }
  | { do: 'HELPER_FAILS' | 'HELPER_ANSWERS'; run: number }
  | { do: 'IDENTIFY'; run: number; boot: number }
  | { do: 'PAUSE' | 'RESUME' }
  | { do: 'WAIT'; ms: number };

const name = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g');
const bootNumber = fc.integer({ min: 1, max: 4 });
const outcome = fc.constantFrom<Outcome>(
  { kind: 'PROVISIONED', unsettled: false },
  { kind: 'UPGRADED', from: '1', to: '2' },
  { kind: 'UPGRADE_FAILED', reason: 'UPGRADE_LOOP', message: '' },
  { kind: 'SHUT_DOWN', message: '' },
  { kind: 'DEFERRED', by: 'HELPER', message: '', retryAfterMs: undefined },
  { kind: 'DEFERRED', by: 'HELPER', message: '', retryAfterMs: 90_000 },
  { kind: 'DEFERRED', by: 'NODE', message: '', retryAfterMs: undefined },
  { kind: 'FAILED', reason: 'UNREACHABLE', message: '' },
  { kind: 'FAILED', reason: 'PROVISIONING_ENABLED', message: '' },
  { kind: 'SUPERSEDED', by: 'BOOT', message: '' },
  { kind: 'SUPERSEDED', by: 'FENCE', message: '' },
  { kind: 'CANCELLED', cause: 'PAUSED' },
  { kind: 'CANCELLED', cause: 'BREAKER' },
  { kind: 'CANCELLED', cause: 'RELEASED' },
);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('SIGHT' as const),
      name,
      boot: bootNumber,
      discovery: fc.constantFrom('d1', 'd2'),
      address: fc.constantFrom('192.0.2.1:1', '192.0.2.2:1'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('LEAVE' as const), name, boot: bootNumber }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('COME_UP' as const),
      name,
      boot: bootNumber,
      ofItsRun: fc.boolean(),
    }),
  },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('END' as const), run: fc.nat({ max: 1 }), outcome }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('HELPER_FAILS' as const), run: fc.nat({ max: 1 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('HELPER_ANSWERS' as const), run: fc.nat({ max: 1 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('IDENTIFY' as const), run: fc.nat({ max: 1 }), boot: bootNumber }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('PAUSE' as const, 'RESUME' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('WAIT' as const),
      ms: fc.constantFrom(500, 30_000, 60_000, 121_000),
    }),
  },
);

class World extends FleetBench {
  paused = false;
  #startedWhenPaused = 0;
  /** Runs that had started when the breaker opened; undefined while it is closed. */
  #startedWhenOpened: number | undefined;
  #looked = 0;
  /** By node and boot: until when nobody runs it. */
  readonly #upgraded = new Map<string, number>();

  constructor(incumbentAnswers: boolean) {
    super({ workers, queueLimit, isStillThere: () => Promise.resolve(incumbentAnswers) }, breakerLimit);
  }

  async take(what: Step): Promise<void> {
    switch (what.do) {
      case 'SIGHT':
        this.fleet.handle(
          sighted(what.name, what.boot, { discovery: what.discovery, address: what.address }),
        );
        break;
      case 'LEAVE':
        this.fleet.handle(gone(what.name, what.boot));
        break;
      case 'COME_UP': {
        const run = this.runs.open.find(({ task }) => task.node.identity === what.name);
        this.fleet.handle(cameUp(what.name, what.boot, what.ofItsRun ? run?.runId : undefined));
        break;
      }
      case 'END':
        this.#end(this.runs.open[what.run], what.outcome);
        break;
      case 'HELPER_FAILS':
        this.#helperFails(this.runs.open[what.run]);
        break;
      case 'HELPER_ANSWERS': {
        const run = this.runs.open[what.run];
        if (run !== undefined && this.breaker.mayAsk(run.runId)) this.breaker.answered();
        break;
      }
      case 'IDENTIFY': {
        const run = this.runs.open[what.run];
        if (run !== undefined) run.bootId ??= sighted('x', what.boot).node.bootId;
        break;
      }
      case 'PAUSE':
        this.paused = true;
        this.#startedWhenPaused = this.runs.all.length;
        this.fleet.pause();
        break;
      case 'RESUME':
        this.paused = false;
        this.fleet.resume();
        break;
      case 'WAIT':
        await this.clock.advance(what.ms);
    }
    await settle();
    this.check();
  }

  check(): void {
    this.#checkNewRuns();
    this.#checkProbes();
    const open = this.runs.open.map(({ task }) => task.node.identity);
    const { hosts, queued, busyWorkers } = this.fleet.status;
    expect(new Set(open).size, 'one identity never has two runs at once').toBe(open.length);
    expect(open.length).toBeLessThanOrEqual(workers);
    expect([busyWorkers, hosts.RUNNING]).toEqual([open.length, open.length]);
    expect(hosts.QUEUED, 'queue and hosts agree').toBe(queued);
    expect(queued, 'only who comes back from a run exceeds the limit').toBeLessThanOrEqual(
      queueLimit + workers,
    );
    expect(this.knownByEvents(), 'every host is told of').toBe(Object.values(hosts).reduce((a, b) => a + b));
    expect(this.sink.of('RUN_FINISHED').length).toBe(this.sink.of('RUN_STARTED').length - open.length);
    if (this.paused)
      expect(this.runs.all.length, 'nothing starts while paused').toBe(this.#startedWhenPaused);
    else if (queued > 0 && this.breaker.mayStart)
      expect(open.length, 'no worker idles while a host waits').toBe(workers);
  }

  #end(run: FakeRun | undefined, outcome: Outcome): void {
    if (run === undefined) return;
    const { node } = run.task;
    if (outcome.kind === 'UPGRADED') {
      const boot = `${node.identity} ${run.bootId ?? node.bootId}`;
      this.#upgraded.set(boot, this.clock.monotonic() + 60_000);
    }
    run.end(outcome);
  }

  /** Whoever was told that the helper fails gives the worker back. */
  #helperFails(run: FakeRun | undefined): void {
    if (run === undefined || !this.breaker.mayAsk(run.runId)) return;
    run.end(this.breaker.failed(run.runId, { kind: 'FAILED', reason: 'HELPER_EXIT', message: '' }));
    for (const other of this.runs.open) {
      if (other.interruptions.includes('BREAKER')) other.end({ kind: 'CANCELLED', cause: 'BREAKER' });
    }
  }

  #checkProbes(): void {
    if (this.breaker.standing.open === undefined) {
      this.#startedWhenOpened = undefined;
      return;
    }
    this.#startedWhenOpened ??= this.runs.all.length;
    const probes = this.runs.all.slice(this.#startedWhenOpened).filter((run) => !run.ended);
    expect(probes.length, 'one probe at a time while the helper fails').toBeLessThanOrEqual(1);
  }

  #checkNewRuns(): void {
    for (const { task } of this.runs.all.slice(this.#looked)) {
      const until = this.#upgraded.get(`${task.node.identity} ${task.node.bootId}`) ?? 0;
      expect(until, 'a boot that was upgraded is not run').toBeLessThanOrEqual(this.clock.monotonic());
    }
    this.#looked = this.runs.all.length;
  }

  /** How many hosts are known, as who reads the events would count. */
  knownByEvents(): number {
    const known = new Set<string>();
    for (const event of this.sink.events) {
      if (event.type === 'HOST_QUEUED' || event.type === 'PROVISION_LOOP') known.add(event.identity);
      if (event.type === 'HOST_RELEASED') known.delete(event.identity);
    }
    return known.size;
  }

  /** Lets everything come to its end, with no more news. */
  async wind(): Promise<void> {
    await this.take({ do: 'RESUME' });
    this.breaker.answered();
    await settle();
    await this.#endAllRuns();
    // Long enough for every wait; who was sighted short of that is run once more.
    await this.take({ do: 'WAIT', ms: dayMs });
    await this.#endAllRuns();
    await this.take({ do: 'WAIT', ms: dayMs });
    expect(this.fleet.status.hosts, 'nobody is forgotten in a state').toEqual({
      QUEUED: 0,
      RUNNING: 0,
      HELD: 0,
      BACKING_OFF: 0,
    });
    expect(this.clock.pendingTimers).toBe(0);
  }

  async #endAllRuns(): Promise<void> {
    while (this.runs.open.length > 0) {
      await this.take({ do: 'END', run: 0, outcome: { kind: 'PROVISIONED', unsettled: false } });
    }
  }
}

it('keeps its promises whatever happens in whatever order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), fc.boolean(), async (steps, incumbentAnswers) => {
      const world = new World(incumbentAnswers);
      for (const what of steps) await world.take(what);
      await world.wind();
    }),
    { numRuns: 300 },
  );
}, 60_000);
