import { afterEach, describe, expect, it } from 'vitest';
import { settle } from '../../../test/fakes/fake-clock.js';
import { RegistryBench } from '../../../test/fakes/registry-bench.js';
import { EventLog, type Position } from './event-log.js';
import { everyNode, type NodeFilter, newFilter } from './filter.js';
import { OvertakenError, type WatchItem, watch } from './watch.js';

const stops: AbortController[] = [];

afterEach(() => {
  for (const stop of stops.splice(0)) stop.abort(new Error('test over'));
});

/** A registry whose events go into a log that keeps `capacity` of them. */
function setUp(capacity = 1000) {
  const log = new EventLog('epoch-1', capacity);
  const bench = new RegistryBench({ tell: (event) => log.append(event) });
  return { bench, log };
}

class Watcher {
  readonly items: WatchItem[] = [];
  readonly ended: Promise<unknown>;
  readonly stop = new AbortController();
  #paused: (() => void) | undefined;
  #pausing = false;

  constructor(
    { bench, log }: ReturnType<typeof setUp>,
    options: { readonly resume?: Position; readonly filter?: NodeFilter; readonly paused?: boolean } = {},
  ) {
    stops.push(this.stop);
    this.#pausing = options.paused ?? false;
    this.ended = watch({
      clock: bench.clock,
      log,
      present: bench.registry,
      filter: options.filter ?? everyNode,
      resume: options.resume,
      signal: this.stop.signal,
      send: async (item) => {
        this.items.push(item);
        if (this.#pausing) await new Promise<void>((resolve) => (this.#paused = resolve));
      },
    }).catch((error: unknown) => error);
  }

  /** Reads no more than what is under way. */
  pause(): void {
    this.#pausing = true;
  }

  resume(): void {
    this.#pausing = false;
    this.#paused?.();
  }

  /** What was received since this was last asked. */
  told(): string[] {
    return this.items.splice(0).map((item) => {
      if (item.kind === 'SYNCED') return `SYNCED ${item.revision}`;
      return `${item.event.type} ${item.event.node.identity} ${item.revision}`;
    });
  }
}

/** A node that starts and stops: two events, after which it is not there. */
function comeAndGo({ bench }: ReturnType<typeof setUp>, name: string): void {
  const node = bench.boot(name, '10.0.0.3:1');
  bench.report(node, 'STARTUP');
  bench.report(node, 'SHUTDOWN');
}

describe('a watch', () => {
  it('begins with who is there and who came up configured, and goes on with what happens', async () => {
    const set = setUp();
    set.bench.report(set.bench.boot('a', '10.0.0.1:1'), 'STARTUP');
    set.bench.report(set.bench.boot('b', '10.0.0.2:1'), 'PROVISIONED');
    comeAndGo(set, 'c');
    const watcher = new Watcher(set);
    await settle();
    expect(watcher.told()).toEqual(['PROVISIONED b 4', 'SIGHTED a 4', 'SYNCED 4']);
    set.bench.report(set.bench.boot('d', '10.0.0.4:1'), 'STARTUP');
    await settle();
    expect(watcher.told()).toEqual(['STARTUP d 5']);
  });

  it('of nobody is complete at once', async () => {
    const watcher = new Watcher(setUp());
    await settle();
    expect(watcher.told()).toEqual(['SYNCED 0']);
  });

  it('that wants none of many nodes lets others have their turn while it looks at them', async () => {
    const set = setUp(2_000);
    for (let index = 0; index < 1_100; index++) {
      set.bench.report(set.bench.boot(`n${index}`, `10.0.${index >> 8}.${index & 255}:1`), 'STARTUP');
    }
    const watcher = new Watcher(set, { filter: newFilter(['another'], {}) });
    const turns: string[] = [];
    while (watcher.items.length === 0) {
      turns.push('another');
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(turns.length).toBeGreaterThan(1);
    expect(watcher.told()).toEqual(['SYNCED 1100']);
    const gone = new Watcher(set, { filter: newFilter(['another'], {}) });
    gone.stop.abort(new Error('gone'));
    expect(await gone.ended).toMatchObject({ message: 'gone' });
    expect(gone.items).toEqual([]);
  });

  it('misses nothing of what happens during its snapshot', async () => {
    const set = setUp();
    const nodes = ['a', 'b', 'c'].map((name, index) => set.bench.boot(name, `10.0.0.${index}:1`));
    for (const node of nodes) set.bench.report(node, 'STARTUP');
    const watcher = new Watcher(set, { paused: true });
    await settle();
    expect(watcher.told()).toEqual(['SIGHTED a 3']);
    for (const node of nodes.slice(0, 2)) set.bench.report(node, 'SHUTDOWN');
    set.bench.report(set.bench.boot('d', '10.0.0.9:1'), 'STARTUP');
    watcher.resume();
    await settle();
    expect(watcher.told()).toEqual([
      'SIGHTED c 3',
      'SIGHTED d 3',
      'SYNCED 3',
      'SHUTDOWN a 4',
      'SHUTDOWN b 5',
      'STARTUP d 6',
    ]);
  });

  it('that resumes gets only what it missed', async () => {
    const set = setUp();
    for (const name of ['a', 'b', 'c']) set.bench.report(set.bench.boot(name, `10.0.0.1:1`), 'STARTUP');
    const watcher = new Watcher(set, { resume: { epoch: 'epoch-1', revision: 1 } });
    await settle();
    expect(watcher.told()).toEqual(['STARTUP b 2', 'STARTUP c 3', 'SYNCED 3']);
    const upToDate = new Watcher(set, { resume: { epoch: 'epoch-1', revision: 3 } });
    await settle();
    expect(upToDate.told()).toEqual(['SYNCED 3']);
  });

  it.each([
    ['of another process', { epoch: 'epoch-0', revision: 3 }],
    ['that is too long ago', { epoch: 'epoch-1', revision: 0 }],
    ['that is not reached yet', { epoch: 'epoch-1', revision: 4 }],
    ['that is none', { epoch: 'epoch-1', revision: Number.NaN }],
  ])('that resumes from a place %s gets a snapshot', async (_, resume) => {
    const set = setUp(2);
    for (const name of ['a', 'b', 'c']) set.bench.report(set.bench.boot(name, `10.0.0.1:1`), 'STARTUP');
    const watcher = new Watcher(set, { resume });
    await settle();
    expect(watcher.told()).toEqual(['SIGHTED a 3', 'SIGHTED b 3', 'SIGHTED c 3', 'SYNCED 3']);
  });

  it('that reads too slowly for its snapshot gets another in the same stream', async () => {
    const set = setUp(10);
    const nodes = ['a', 'b'].map((name, index) => set.bench.boot(name, `10.0.0.${index}:1`));
    for (const node of nodes) set.bench.report(node, 'STARTUP');
    const watcher = new Watcher(set, { paused: true });
    await settle();
    for (let index = 0; index < 30; index++) comeAndGo(set, `n${index}`);
    watcher.resume();
    await settle();
    const last = set.log.last;
    expect(watcher.told()).toEqual([
      'SIGHTED a 2',
      'SIGHTED b 2',
      `SIGHTED a ${last}`,
      `SIGHTED b ${last}`,
      `SYNCED ${last}`,
    ]);
  });

  it('that was in step and then reads too slowly ends, so that it begins anew', async () => {
    const set = setUp(10);
    const watcher = new Watcher(set);
    set.bench.report(set.bench.boot('a', '10.0.0.1:1'), 'STARTUP');
    await settle();
    watcher.pause();
    for (let index = 0; index < 30; index++) {
      comeAndGo(set, `n${index}`);
      await settle();
    }
    watcher.resume();
    expect(await watcher.ended).toBeInstanceOf(OvertakenError);
  });

  it('with a filter hears of those nodes only, and is in step all the same', async () => {
    const set = setUp();
    const filter = newFilter([], { rack: 'r1' });
    const mine = set.bench.boot('mine', '10.0.0.1:1');
    set.bench.report(set.bench.boot('other', '10.0.0.2:1'), 'STARTUP');
    set.bench.report(mine, 'STARTUP', { labels: { rack: 'r1' } });
    set.bench.report(set.bench.boot('third', '10.0.0.3:1'), 'PROVISIONED');
    const watcher = new Watcher(set, { filter });
    const resumed = new Watcher(set, { filter, resume: { epoch: 'epoch-1', revision: 0 } });
    await settle();
    expect(watcher.told()).toEqual(['SIGHTED mine 3', 'SYNCED 3']);
    expect(resumed.told()).toEqual(['STARTUP mine 2', 'SYNCED 3']);
    set.bench.report(mine, 'SHUTDOWN', { labels: { rack: 'r1' } });
    await settle();
    expect(watcher.told()).toEqual(['SHUTDOWN mine 4']);
  });

  it('ends with the reason that it is stopped for', async () => {
    const watcher = new Watcher(setUp());
    await settle();
    watcher.stop.abort(new Error('stopping'));
    expect(await watcher.ended).toMatchObject({ message: 'stopping' });
  });
});
