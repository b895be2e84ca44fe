import { describe, expect, it } from 'vitest';
import { settle } from '../../../test/fakes/fake-clock.js';
import { announcement, type BenchOptions, RegistryBench } from '../../../test/fakes/registry-bench.js';

const here = '10.0.0.1:7430';
const there = '10.0.0.2:7430';

/** A bench on which a boot of a.example holds the lease. */
function contested(
  options: { readonly deaf?: boolean; readonly newcomerAt?: string } & Pick<BenchOptions, 'passed'> = {},
) {
  const bench = new RegistryBench(options);
  const incumbent = options.deaf ? bench.deafBoot('a.example', here) : bench.boot('a.example', here);
  bench.report(incumbent, 'STARTUP');
  bench.told();
  const newcomer = bench.deafBoot('a.example', options.newcomerAt ?? there);
  return { bench, incumbent, newcomer };
}

const conflict = 'CONFLICT a.example at 10.0.0.1';

describe('another boot of an identity', () => {
  it('is not offered while the incumbent answers; the conflict names both', async () => {
    const { bench, incumbent, newcomer } = contested();
    expect(bench.report(newcomer, 'STARTUP').kind).toBe('ACCEPTED');
    await settle();
    expect(bench.prober.probed).toEqual([here]);
    expect(bench.events).toMatchObject([
      {
        type: 'CONFLICT',
        node: { address: here, bootId: incumbent.bootId },
        newcomer: { address: there, bootId: newcomer.bootId },
      },
    ]);
    const [lease] = bench.registry.live();
    expect(lease?.bootId).toBe(incumbent.bootId);
  });

  it('has the lease as soon as the incumbent does not answer', async () => {
    const { bench, newcomer } = contested({ deaf: true });
    bench.report(newcomer, 'STARTUP');
    await settle();
    expect(bench.told()).toEqual(['STARTUP a.example at 10.0.0.2']);
    bench.report(newcomer, 'ALIVE');
    await bench.pass(20_000);
    expect(bench.told()).toEqual([]);
  });

  it.each([
    ['somewhere else', there, [`${here} to ${there}`]],
    ['at the same address', here, []],
  ])(
    'that has the lease %s without an answer of the incumbent is told as a move or not',
    async (_, newcomerAt, expected) => {
      const moves: string[] = [];
      const passed = (from: { readonly address: string }, to: { readonly address: string }) =>
        void moves.push(`${from.address} to ${to.address}`);
      const { bench, newcomer } = contested({ deaf: true, newcomerAt, passed });
      bench.report(newcomer, 'STARTUP');
      await settle();
      expect(bench.told()).toHaveLength(1);
      expect(moves).toEqual(expected);
    },
  );

  it('has the lease where it is itself that answers at the same address: it was restarted', async () => {
    const { bench, newcomer } = contested({ newcomerAt: here });
    bench.prober.place(here, newcomer);
    bench.report(newcomer, 'STARTUP');
    await settle();
    expect(bench.told()).toEqual(['STARTUP a.example at 10.0.0.1']);
  });

  it('is answered at once, however long the probe takes, and keeps what it said first', async () => {
    const { bench, newcomer } = contested({ deaf: true });
    bench.prober.hold();
    expect(bench.report(newcomer, 'UPGRADED').kind).toBe('ACCEPTED');
    expect(bench.report(newcomer, 'ALIVE', { version: '2.0.0' }).kind).toBe('ACCEPTED');
    await settle();
    expect(bench.prober.probed).toHaveLength(1);
    bench.prober.release();
    await settle();
    expect(bench.events).toMatchObject([{ type: 'UPGRADED', node: { version: '2.0.0', address: there } }]);
  });

  it('that stops before the answer is there has nothing', async () => {
    const { bench, newcomer } = contested({ deaf: true });
    bench.prober.hold();
    bench.report(newcomer, 'STARTUP');
    bench.report(newcomer, 'SHUTDOWN');
    bench.prober.release();
    await settle();
    expect(bench.told()).toEqual([]);
    expect(bench.registry.liveCount).toBe(1);
  });

  it('has the lease where the incumbent stops during the probe, and does not come back', async () => {
    const { bench, incumbent, newcomer } = contested();
    bench.prober.hold();
    bench.report(newcomer, 'STARTUP');
    bench.report(incumbent, 'SHUTDOWN');
    bench.prober.release();
    await bench.pass(20_000);
    bench.report(newcomer, 'ALIVE');
    expect(bench.told()).toEqual(['SHUTDOWN a.example at 10.0.0.1']);
    await bench.pass(11_000);
    bench.report(newcomer, 'ALIVE');
    expect(bench.told()).toEqual(['SIGHTED a.example at 10.0.0.2']);
  });

  it('has the lease at once where it is where the incumbent was', async () => {
    const { bench, incumbent } = contested();
    const next = bench.deafBoot('a.example', incumbent.address);
    bench.prober.hold();
    bench.report(next, 'STARTUP');
    bench.report(incumbent, 'SHUTDOWN');
    bench.prober.release();
    await settle();
    expect(bench.told()).toEqual(['SHUTDOWN a.example at 10.0.0.1', 'STARTUP a.example at 10.0.0.1']);
  });

  it('gets the same reply for the same report, and none for a lower sequence', async () => {
    const { bench, newcomer } = contested();
    bench.report(newcomer, 'STARTUP', { sequence: 7n });
    await settle();
    const standing = (sequence: bigint) => {
      newcomer.sequence = sequence;
      return bench.registry.standing({ ...announcement(newcomer, 'STARTUP'), port: 7430, host: '' });
    };
    expect(standing(7n)).toMatchObject({ kind: 'ACCEPTED' });
    expect(standing(6n)).toMatchObject({ reason: 'SEQUENCE_STALE' });
    expect(standing(8n)).toMatchObject({ kind: 'NEW' });
    expect(bench.prober.probed).toHaveLength(1);
  });
});

describe('the same boot from elsewhere', () => {
  it('keeps its old address while it answers there', async () => {
    const { bench, incumbent } = contested();
    bench.report({ ...incumbent, address: there }, 'ALIVE', { sequence: 2n });
    await settle();
    expect(bench.told()).toEqual([conflict]);
    expect([...bench.registry.live()][0]?.address).toBe(here);
  });

  it('moves once it does not answer at the old one', async () => {
    const { bench, incumbent } = contested();
    bench.prober.place(here, undefined);
    bench.report({ ...incumbent, address: there }, 'ALIVE', { sequence: 2n });
    await settle();
    expect(bench.told()).toEqual(['SIGHTED a.example at 10.0.0.2']);
  });

  it('cannot stop the boot, and is told of', async () => {
    const { bench, incumbent } = contested();
    bench.report({ ...incumbent, address: there }, 'SHUTDOWN', { sequence: 2n });
    await settle();
    expect(bench.told()).toEqual([conflict]);
    expect(bench.registry.liveCount).toBe(1);
  });
});

describe('machines that share a name for long', () => {
  it('cause a probe in five seconds at most, and an event in a minute', async () => {
    const bench = new RegistryBench();
    const clones = Array.from({ length: 20 }, (_, index) => bench.boot('a.example', `10.0.0.${index}:7430`));
    for (let second = 0; second < 120; second++) {
      const clone = clones[second % 20];
      if (clone !== undefined) bench.report(clone, 'ALIVE');
      await bench.pass(1000);
    }
    expect(bench.prober.probed.length).toBeLessThanOrEqual(25);
    expect(bench.prober.mostAtOnce).toBe(1);
    const told = bench.told();
    expect(told[0]).toBe('SIGHTED a.example at 10.0.0.0');
    expect(told.slice(1).every((event) => event === 'CONFLICT a.example at 10.0.0.0')).toBe(true);
    expect(told.length).toBeLessThanOrEqual(25);
  });

  it('are told of as one conflict a minute, where there are two', async () => {
    const { bench, incumbent, newcomer } = contested();
    for (let second = 0; second < 120; second += 5) {
      bench.report(incumbent, 'ALIVE');
      bench.report(newcomer, 'ALIVE');
      await bench.pass(5000);
    }
    expect(bench.told()).toEqual([conflict, conflict]);
  });

  it('and answer no probes take turns, and are told of', async () => {
    const { bench, incumbent, newcomer } = contested({ deaf: true });
    for (let second = 0; second < 60; second += 10) {
      bench.report(newcomer, 'ALIVE');
      await bench.pass(5000);
      bench.report(incumbent, 'ALIVE');
      await bench.pass(5000);
    }
    const told = bench.told();
    expect(told).toContain('CONFLICT a.example at 10.0.0.2');
    expect(told.length).toBeLessThanOrEqual(14);
    expect(bench.registry.liveCount).toBe(1);
  });

  it('do not keep a reboot of the incumbent from being noticed', async () => {
    const { bench, newcomer } = contested();
    bench.report(newcomer, 'ALIVE');
    await settle();
    bench.told();
    const rebooted = bench.boot('a.example', here);
    bench.report(rebooted, 'STARTUP');
    await settle();
    expect(bench.told()).toEqual([]);
    await bench.pass(6000);
    expect(bench.told()).toEqual(['STARTUP a.example at 10.0.0.1']);
  });

  it('are forgotten when they are over', async () => {
    const { bench, newcomer } = contested();
    bench.report(newcomer, 'ALIVE');
    await bench.pass(300_000);
    bench.told();
    bench.report(newcomer, 'ALIVE');
    expect(bench.told()).toEqual(['SIGHTED a.example at 10.0.0.2']);
  });
});

describe('a fleet that is restarted', () => {
  it('is taken over as a whole, a few probes at a time', async () => {
    const bench = new RegistryBench({ maxNodes: 1000 });
    const addresses = Array.from({ length: 500 }, (_, index) => `10.1.${index >> 8}.${index & 255}:7430`);
    for (const [index, address] of addresses.entries()) {
      bench.report(bench.boot(`n${index}`, address), 'STARTUP');
    }
    bench.told();
    for (const [index, address] of addresses.entries()) {
      bench.report(bench.boot(`n${index}`, address), 'PROVISIONED');
    }
    for (let turn = 0; turn < 600; turn++) await settle();
    expect(bench.told().filter((event) => event.startsWith('PROVISIONED'))).toHaveLength(500);
    expect(bench.prober.mostAtOnce).toBeLessThanOrEqual(4);
  });
});

describe('a static target', () => {
  it('where another boot answers than before is taken over without another probe', async () => {
    const bench = new RegistryBench();
    const probed = { source: 'PROBED', origin: '', sequence: 0n, digest: '' } as const;
    const before = bench.boot('a.example', here);
    bench.registry.take(announcement(before, 'ALIVE', probed));
    bench.registry.take(announcement(bench.boot('a.example', here), 'ALIVE', probed));
    await settle();
    expect(bench.told()).toEqual(['SIGHTED a.example at 10.0.0.1', 'SIGHTED a.example at 10.0.0.1']);
    expect(bench.prober.probed).toEqual([]);
  });

  it('that is another address of a node that is there is no conflict', async () => {
    const { bench, incumbent } = contested();
    const probed = { source: 'PROBED', origin: '', sequence: 0n, digest: '' } as const;
    bench.registry.take(announcement({ ...incumbent, address: there }, 'ALIVE', probed));
    await settle();
    expect(bench.told()).toEqual([]);
    expect([...bench.registry.live()][0]?.address).toBe(here);
  });

  it('whose node begins to report belongs to its reports', async () => {
    const bench = new RegistryBench();
    const node = bench.boot('a.example', here);
    const probed = { source: 'PROBED', origin: '', sequence: 0n, digest: '' } as const;
    bench.registry.take(announcement(node, 'ALIVE', probed));
    bench.report(node, 'ALIVE', { sequence: 1n });
    bench.registry.take(announcement(node, 'ALIVE', probed));
    expect([...bench.registry.live()][0]).toMatchObject({ source: 'REPORTED' });
    expect(bench.registry.reporting).toBe(1);
  });

  it('whose node no longer takes configuration is over', () => {
    const bench = new RegistryBench();
    const node = bench.boot('a.example', here);
    const probed = { source: 'PROBED', origin: '', sequence: 0n, digest: '' } as const;
    bench.registry.take(announcement(node, 'ALIVE', probed));
    bench.registry.probedElsewise(node.identity, node, here);
    bench.registry.take(announcement(node, 'ALIVE', probed));
    const next = bench.boot('a.example', here);
    bench.registry.probedElsewise(next.identity, next, here);
    expect(bench.told()).toEqual([
      'SIGHTED a.example at 10.0.0.1',
      'SHUTDOWN a.example at 10.0.0.1',
      'SIGHTED a.example at 10.0.0.1',
      'EXPIRED a.example at 10.0.0.1',
    ]);
  });
});
