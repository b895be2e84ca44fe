import { describe, expect, it } from 'vitest';
import { settle } from '../../../test/fakes/fake-clock.js';
import { announcement, leaseMs, RegistryBench } from '../../../test/fakes/registry-bench.js';

describe('a node in provisioning mode', () => {
  it('is told of when it starts, and stays while it reports', async () => {
    const bench = new RegistryBench();
    const node = bench.boot('a.example');
    bench.report(node, 'STARTUP');
    expect(bench.told()).toEqual(['STARTUP a.example at 10.0.0.1']);
    for (let minute = 0; minute < 10; minute++) {
      await bench.pass(10_000);
      bench.report(node, 'ALIVE');
    }
    expect(bench.told()).toEqual([]);
    expect(bench.registry.liveCount).toBe(1);
  });

  it('that is heard of first by an ALIVE is sighted', () => {
    const bench = new RegistryBench();
    bench.report(bench.boot('a.example'), 'ALIVE');
    expect(bench.told()).toEqual(['SIGHTED a.example at 10.0.0.1']);
  });

  it('expires when its lease is over, within a second, and once', async () => {
    const bench = new RegistryBench();
    bench.report(bench.boot('a.example'), 'STARTUP');
    bench.told();
    await bench.pass(leaseMs - 1000);
    expect(bench.told()).toEqual([]);
    await bench.pass(2000);
    expect(bench.told()).toEqual(['EXPIRED a.example at 10.0.0.1']);
    await bench.pass(600_000);
    expect(bench.told()).toEqual([]);
    expect(bench.registry.liveCount).toBe(0);
  });

  it('is not held to the time in which this process could not run', async () => {
    const bench = new RegistryBench();
    const node = bench.boot('a.example');
    bench.report(node, 'STARTUP');
    bench.told();
    await bench.clock.advance(3_600_000);
    bench.registry.tick();
    expect(bench.told()).toEqual([]);
    bench.report(node, 'ALIVE');
    await bench.pass(leaseMs - 1000);
    expect(bench.registry.liveCount).toBe(1);
  });

  it('is sighted once in every interval, whatever came and went', async () => {
    const bench = new RegistryBench({ slots: 7 });
    const nodes = Array.from({ length: 200 }, (_, index) =>
      bench.boot(`n${index}.example`, `10.0.1.${index}:7430`),
    );
    for (const node of nodes) bench.report(node, 'STARTUP');
    bench.told();
    let sighted = 0;
    const most = Math.max(...Array.from({ length: 7 }, (_, slot) => bench.registry.sightSlot(slot)));
    for (const { type } of bench.events) if (type === 'SIGHTED') sighted++;
    expect(sighted).toBe(200);
    expect(new Set(bench.told()).size).toBe(200);
    expect(most).toBeLessThan(60);
  });

  it('keeps the facts of its last report', () => {
    const bench = new RegistryBench();
    const node = bench.boot('a.example');
    bench.report(node, 'STARTUP', { version: '1.0.0', labels: { rack: 'r1' } });
    bench.report(node, 'ALIVE', { version: '1.0.1', labels: { rack: 'r2' }, component: 'other' });
    const [lease] = bench.registry.live();
    expect(lease).toMatchObject({ version: '1.0.1', labels: { rack: 'r2' }, component: 'other' });
  });

  it('has one STARTUP and one UPGRADED in a boot', () => {
    const bench = new RegistryBench();
    const node = bench.boot('a.example');
    for (const type of ['STARTUP', 'STARTUP', 'UPGRADED', 'UPGRADED', 'STARTUP'] as const) {
      bench.report(node, type);
    }
    expect(bench.told()).toEqual(['STARTUP a.example at 10.0.0.1', 'UPGRADED a.example at 10.0.0.1']);
  });
});

describe('a report', () => {
  it('that is sent again gets the same reply, and nothing happens', () => {
    const bench = new RegistryBench();
    const node = bench.boot('a.example');
    bench.report(node, 'STARTUP');
    const again = announcement(node, 'STARTUP', { reply: { leaseMs: 1, nextReportMs: 1 } });
    bench.told();
    expect(bench.registry.take(again)).toEqual({
      kind: 'ACCEPTED',
      reply: { leaseMs, nextReportMs: 10_000 },
    });
    expect(bench.told()).toEqual([]);
  });

  it('with a lower sequence, or a used one and other bytes, is refused', () => {
    const bench = new RegistryBench();
    const node = bench.boot('a.example');
    bench.report(node, 'STARTUP', { sequence: 5n });
    expect(bench.report(node, 'ALIVE', { sequence: 4n })).toMatchObject({ reason: 'SEQUENCE_STALE' });
    expect(bench.report(node, 'ALIVE', { sequence: 5n })).toMatchObject({ reason: 'SEQUENCE_REUSED' });
    expect(bench.report(node, 'ALIVE', { sequence: 9n })).toMatchObject({ kind: 'ACCEPTED' });
  });

  it('of the same boot with another certificate is refused', () => {
    const bench = new RegistryBench();
    const node = bench.boot('a.example');
    bench.report(node, 'STARTUP', { certificateSha256: 'aa' });
    const outcome = bench.report(node, 'SHUTDOWN', { certificateSha256: 'bb' });
    expect(outcome).toMatchObject({ kind: 'REFUSED', reason: 'CERTIFICATE_MISMATCH' });
    expect(bench.registry.liveCount).toBe(1);
  });

  it('is judged before its address is known', () => {
    const bench = new RegistryBench();
    const node = bench.boot('a.example');
    const report = (sequence: bigint, type: 'ALIVE' | 'SHUTDOWN' = 'ALIVE') => {
      node.sequence = sequence;
      return { ...announcement(node, type), port: 7430, host: '' };
    };
    expect(bench.registry.standing(report(3n))).toMatchObject({ kind: 'NEW', urgent: false });
    bench.report(node, 'ALIVE', { sequence: 3n });
    expect(bench.registry.standing(report(3n))).toMatchObject({ kind: 'ACCEPTED' });
    expect(bench.registry.standing(report(2n))).toMatchObject({ reason: 'SEQUENCE_STALE' });
    expect(bench.registry.standing(report(4n))).toMatchObject({ kind: 'NEW', urgent: false });
    expect(bench.registry.standing(report(4n, 'SHUTDOWN'))).toMatchObject({ kind: 'NEW', urgent: true });
  });

  it('is urgent where its node would else be forgotten', async () => {
    const bench = new RegistryBench();
    const node = bench.boot('a.example');
    bench.report(node, 'STARTUP');
    await bench.pass(21_000);
    node.sequence++;
    const report = { ...announcement(node, 'ALIVE'), port: 7430, host: '' };
    expect(bench.registry.standing(report)).toMatchObject({ kind: 'NEW', urgent: true });
  });
});

describe('a node that stops', () => {
  it('is gone at once, and its late reports do not bring it back', async () => {
    const bench = new RegistryBench();
    const node = bench.boot('a.example');
    bench.report(node, 'STARTUP');
    node.sequence = 5n;
    bench.registry.take(announcement(node, 'SHUTDOWN'));
    expect(bench.told()).toEqual(['STARTUP a.example at 10.0.0.1', 'SHUTDOWN a.example at 10.0.0.1']);
    expect(bench.registry.liveCount).toBe(0);
    expect(bench.report(node, 'ALIVE', { sequence: 4n })).toMatchObject({ reason: 'SEQUENCE_STALE' });
    await bench.pass(60_000);
    expect(bench.told()).toEqual([]);
  });

  it('says so twice and is told of once', () => {
    const bench = new RegistryBench();
    const node = bench.boot('a.example');
    bench.report(node, 'STARTUP');
    bench.report(node, 'SHUTDOWN');
    bench.report(node, 'SHUTDOWN');
    expect(bench.told().filter((event) => event.startsWith('SHUTDOWN'))).toHaveLength(1);
  });

  it('makes room for its next boot without a probe', () => {
    const bench = new RegistryBench();
    const first = bench.boot('a.example');
    bench.report(first, 'STARTUP');
    bench.report(first, 'SHUTDOWN');
    bench.told();
    bench.report(bench.boot('a.example'), 'PROVISIONED');
    expect(bench.told()).toEqual(['PROVISIONED a.example at 10.0.0.1']);
    expect(bench.prober.probed).toEqual([]);
  });

  it('moves elsewhere with its next boot once nobody was seen where it was', async () => {
    const bench = new RegistryBench();
    const first = bench.boot('a.example');
    bench.report(first, 'STARTUP');
    bench.report(first, 'SHUTDOWN');
    bench.told();
    const moved = bench.boot('a.example', '10.0.0.2:7430');
    expect(bench.report(moved, 'STARTUP').kind).toBe('ACCEPTED');
    await bench.pass(31_000);
    expect(bench.told()).toEqual([]);
    bench.report(moved, 'ALIVE');
    expect(bench.told()).toEqual(['SIGHTED a.example at 10.0.0.2']);
  });

  it('and was not known is told of to no one, and its late reports do not bring it in', () => {
    const bench = new RegistryBench();
    const node = bench.boot('a.example');
    bench.report(node, 'SHUTDOWN', { sequence: 5n });
    expect(bench.report(node, 'ALIVE', { sequence: 4n })).toMatchObject({ reason: 'SEQUENCE_STALE' });
    expect(bench.told()).toEqual([]);
    expect(bench.registry.liveCount).toBe(0);
  });
});

describe('a node that came up configured', () => {
  it('is told of once, however often it repeats that', async () => {
    const bench = new RegistryBench({ provisionedRetentionMs: 20_000 });
    const node = bench.boot('a.example');
    const { eventId, runId } = announcement(node, 'PROVISIONED');
    for (let repeat = 0; repeat < 60; repeat++) {
      bench.report(node, 'PROVISIONED', { eventId, runId });
      await bench.pass(10_000);
    }
    expect(bench.told()).toEqual(['PROVISIONED a.example at 10.0.0.1']);
  });

  it('is told of once where it says the same under another event id', () => {
    const bench = new RegistryBench();
    const node = bench.boot('a.example');
    const { runId } = announcement(node, 'PROVISIONED');
    for (let repeat = 0; repeat < 5; repeat++) bench.report(node, 'PROVISIONED', { runId });
    expect(bench.told()).toEqual(['PROVISIONED a.example at 10.0.0.1']);
  });

  it('is no live node: it is not sighted, and does not expire', async () => {
    const bench = new RegistryBench();
    const node = bench.boot('a.example');
    bench.report(node, 'STARTUP');
    bench.report(node, 'PROVISIONED');
    bench.report(node, 'ALIVE');
    bench.told();
    expect(bench.registry.liveCount).toBe(0);
    for (let slot = 0; slot < 10; slot++) bench.registry.sightSlot(slot);
    await bench.pass(600_000);
    expect(bench.told()).toEqual([]);
  });

  it('is kept for those who were away, for as long as they are told, and longer than it reports', async () => {
    const bench = new RegistryBench({ provisionedRetentionMs: 300_000 });
    const node = bench.boot('a.example');
    bench.report(node, 'PROVISIONED');
    bench.report(node, 'SHUTDOWN');
    await bench.pass(299_000);
    expect([...bench.registry.arrivals()]).toHaveLength(1);
    await bench.pass(2000);
    expect([...bench.registry.arrivals()]).toHaveLength(0);
  });

  it('takes the place of its boot in provisioning mode, also where that did not say that it stops', async () => {
    const bench = new RegistryBench();
    bench.report(bench.boot('a.example'), 'STARTUP');
    bench.told();
    bench.report(bench.boot('a.example'), 'PROVISIONED');
    await settle();
    expect(bench.told()).toEqual(['PROVISIONED a.example at 10.0.0.1']);
    expect(bench.registry.liveCount).toBe(0);
    expect(bench.registry.configuredCount).toBe(1);
  });

  it('is known after a lease that lapsed, by its boot', async () => {
    const bench = new RegistryBench();
    const node = bench.boot('a.example');
    bench.report(node, 'PROVISIONED');
    await bench.pass(60_000);
    bench.told();
    bench.report(node, 'ALIVE');
    expect(bench.told()).toEqual([]);
    expect(bench.registry.liveCount).toBe(0);
  });

  it('makes room by age, where too many are kept', () => {
    const bench = new RegistryBench({ maxNodes: 3 });
    for (const name of ['a', 'b', 'c', 'd']) {
      const node = bench.boot(name, `10.0.0.${name.charCodeAt(0)}:7430`);
      bench.report(node, 'PROVISIONED');
      bench.report(node, 'SHUTDOWN');
    }
    expect([...bench.registry.arrivals()].map(({ node }) => node.identity)).toEqual(['b', 'c', 'd']);
  });
});

describe('bounds', () => {
  it('refuse a node over max_nodes, and no report of those that are there', () => {
    const bench = new RegistryBench({ maxNodes: 2 });
    const nodes = ['a', 'b', 'c'].map((name, index) => bench.boot(name, `10.0.0.${index}:7430`));
    const outcomes = nodes.map((node) => bench.report(node, 'STARTUP'));
    expect(outcomes.map((outcome) => outcome.kind)).toEqual(['ACCEPTED', 'ACCEPTED', 'REFUSED']);
    expect(outcomes[2]).toMatchObject({ reason: 'NODES_LIMIT', retryAfterMs: 10_000 });
    const [first] = nodes;
    if (first === undefined) throw new Error('no nodes');
    expect(bench.report(first, 'ALIVE').kind).toBe('ACCEPTED');
    bench.report(first, 'SHUTDOWN');
    const [, , third] = nodes;
    if (third === undefined) throw new Error('no nodes');
    expect(bench.report(third, 'STARTUP').kind).toBe('ACCEPTED');
  });

  it('count configured nodes apart, so that they do not keep new ones out', () => {
    const bench = new RegistryBench({ maxNodes: 1 });
    expect(bench.report(bench.boot('a', '10.0.0.1:1'), 'PROVISIONED').kind).toBe('ACCEPTED');
    expect(bench.report(bench.boot('b', '10.0.0.2:1'), 'STARTUP').kind).toBe('ACCEPTED');
    expect(bench.report(bench.boot('c', '10.0.0.3:1'), 'PROVISIONED')).toMatchObject({
      reason: 'NODES_LIMIT',
    });
  });

  it('refuse a node over max_nodes_per_source, until one of that source is gone', async () => {
    const bench = new RegistryBench({ maxNodesPerSource: 2 });
    const from = { origin: '10.9.9.9' };
    const [a, b, c, other] = [1, 2, 3, 4].map((port) => bench.boot(`n${port}`, `10.9.9.9:${port}`));
    if (!a || !b || !c || !other) throw new Error('no nodes');
    bench.report(a, 'STARTUP', from);
    bench.report(b, 'STARTUP', from);
    expect(bench.report(c, 'STARTUP', from)).toMatchObject({ reason: 'SOURCE_NODES_LIMIT' });
    expect(bench.report(other, 'STARTUP', { origin: '10.8.8.8' }).kind).toBe('ACCEPTED');
    expect(bench.report(a, 'ALIVE', from).kind).toBe('ACCEPTED');
    bench.report(b, 'SHUTDOWN', from);
    expect(bench.report(c, 'STARTUP', from).kind).toBe('ACCEPTED');
    await bench.pass(120_000);
    expect(bench.report(b, 'ALIVE', from).kind).toBe('ACCEPTED');
  });

  it('keep one source from having foreign nodes probed', () => {
    const bench = new RegistryBench({ maxNodesPerSource: 1 });
    bench.report(bench.boot('a', '10.0.0.1:1'), 'STARTUP');
    bench.report(bench.boot('mine', '10.9.9.9:1'), 'STARTUP');
    const intruder = bench.boot('a', '10.9.9.9:2');
    expect(bench.report(intruder, 'STARTUP')).toMatchObject({ reason: 'SOURCE_NODES_LIMIT' });
    expect(bench.prober.probed).toEqual([]);
  });
});
