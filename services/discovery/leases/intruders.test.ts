// Somebody with a token of the fleet, and with reports that he captured, against nodes that are there: he can make
// up every boot and certificate, and sign for none but his own.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { newBootId } from '../../../shared/identity.js';
import { settle } from '../../../test/fakes/fake-clock.js';
import { announcement, type Boot, RegistryBench } from '../../../test/fakes/registry-bench.js';
import { type Announcement, reportTypes } from '../nodes/announcement.js';

const home = '10.0.0.1:7430';
const elsewhere = '10.6.6.6:7430';
const highest = 2n ** 64n - 1n;
const at = ' a.example at 10.0.0.1';
const conflict = `CONFLICT${at}`;

/** A bench on which a node with certificate `c1` holds the lease, and an agent of the intruder's answers too. */
function setUp() {
  const bench = new RegistryBench();
  const node = bench.boot('a.example', home, 'c1');
  bench.report(node, 'STARTUP');
  bench.told();
  return { bench, node };
}

/** What the intruder says; his agent at his address answers for it. */
function intrude(bench: RegistryBench, boot: Boot, type: Announcement['type'], sequence = highest) {
  bench.prober.place(elsewhere, boot);
  return bench.registry.take(announcement({ ...boot, address: elsewhere, sequence }, type));
}

function holder(bench: RegistryBench) {
  const [lease] = bench.registry.live();
  return lease && { address: lease.address, certificate: lease.certificateSha256 };
}

describe.each(reportTypes)('%s in the name of a node that is there', (type) => {
  it('of a boot of the intruder leaves the node where it is, and names him', async () => {
    const { bench, node } = setUp();
    const intruder = bench.deafBoot('a.example', elsewhere, 'c6');
    intrude(bench, intruder, type);
    await bench.pass(20_000);
    expect(bench.events).toMatchObject([
      {
        type: 'CONFLICT',
        node: { address: home },
        newcomer: { address: elsewhere, certificateSha256: 'c6' },
      },
    ]);
    expect(bench.report(node, 'ALIVE').kind).toBe('ACCEPTED');
    expect(holder(bench)).toEqual({ address: home, certificate: 'c1' });
  });

  it("under the node's own boot id is refused, and names him", async () => {
    const { bench, node } = setUp();
    const outcome = intrude(bench, { ...node, certificateSha256: 'c6' }, type);
    expect(outcome).toMatchObject({ kind: 'REFUSED', reason: 'CERTIFICATE_MISMATCH' });
    await bench.pass(20_000);
    expect(bench.events).toMatchObject([
      { type: 'CONFLICT', node: { certificateSha256: 'c1' }, newcomer: { certificateSha256: 'c6' } },
    ]);
    expect(bench.report(node, 'ALIVE').kind).toBe('ACCEPTED');
    expect(holder(bench)).toEqual({ address: home, certificate: 'c1' });
  });

  it('that the node signed and that never arrived changes nothing from elsewhere', async () => {
    const { bench, node } = setUp();
    const captured = announcement({ ...node, sequence: 2n }, type);
    bench.registry.take({ ...captured, address: elsewhere, origin: elsewhere });
    await bench.pass(20_000);
    expect(bench.told()).toEqual([conflict]);
    expect(holder(bench)).toEqual({ address: home, certificate: 'c1' });
    expect(bench.registry.take(captured).kind).toBe('ACCEPTED');
  });

  it('that an old boot of it signed changes nothing', async () => {
    const { bench, node } = setUp();
    const next = bench.boot('a.example', home, 'c2');
    bench.report(next, 'STARTUP');
    await settle();
    bench.told();
    intrude(bench, node, type, 1n);
    intrude(bench, node, type, 2n);
    await bench.pass(20_000);
    expect(bench.told().filter((event) => event !== conflict)).toEqual([]);
    expect(bench.report(next, 'ALIVE').kind).toBe('ACCEPTED');
    expect(holder(bench)).toEqual({ address: home, certificate: 'c2' });
  });

  it('of a boot that is about to take over, under another certificate, does not keep it from that', async () => {
    const { bench } = setUp();
    bench.prober.hold();
    const next = bench.deafBoot('a.example', '10.0.0.2:7430', 'c2');
    bench.report(next, 'STARTUP');
    bench.prober.place(home, undefined);
    intrude(bench, { ...next, certificateSha256: 'c6' }, 'SHUTDOWN');
    bench.prober.release();
    await settle();
    expect(holder(bench)).toEqual({ address: '10.0.0.2:7430', certificate: 'c2' });
    expect(intrude(bench, { ...next, certificateSha256: 'c6' }, type)).toMatchObject({ kind: 'REFUSED' });
    expect(bench.report(next, 'ALIVE').kind).toBe('ACCEPTED');
  });
});

it('a report that was taken gets the same reply from elsewhere, and changes nothing', async () => {
  const { bench, node } = setUp();
  const captured = announcement({ ...node, sequence: 2n }, 'ALIVE');
  const reply = bench.registry.take(captured);
  const again = { ...captured, address: elsewhere, reply: { leaseMs: 1, nextReportMs: 1 } };
  expect(bench.registry.take(again)).toEqual(reply);
  await settle();
  expect(bench.told()).toEqual([]);
  expect(bench.prober.probed).toEqual([]);
});

describe('an intruder who speaks all the time', () => {
  it('does not get the lease when the node reboots', async () => {
    const { bench } = setUp();
    const intruder = bench.deafBoot('a.example', elsewhere, 'c6');
    for (let second = 0; second < 12; second++) {
      intrude(bench, intruder, 'ALIVE', BigInt(second + 1));
      await bench.pass(1000);
      if (second === 6) bench.report(bench.boot('a.example', home, 'c2'), 'STARTUP');
    }
    expect(holder(bench)).toEqual({ address: home, certificate: 'c2' });
  });

  it('does not get the lease when the node moves', async () => {
    const { bench, node } = setUp();
    const intruder = bench.deafBoot('a.example', elsewhere, 'c6');
    for (let second = 0; second < 12; second++) {
      intrude(bench, intruder, 'ALIVE', BigInt(second + 1));
      await bench.pass(1000);
      if (second !== 6) continue;
      bench.prober.place(home, undefined);
      bench.prober.place('10.0.0.9:7430', node);
      bench.report({ ...node, address: '10.0.0.9:7430' }, 'ALIVE');
    }
    expect(holder(bench)).toEqual({ address: '10.0.0.9:7430', certificate: 'c1' });
  });

  it("makes few probes and few events, under however many certificates and the node's own boot id", async () => {
    const { bench, node } = setUp();
    for (let second = 0; second < 60; second++) {
      for (let index = 0; index < 20; index++) {
        intrude(bench, { ...node, certificateSha256: `c6 ${second} ${index}` }, 'ALIVE');
      }
      bench.report(node, 'ALIVE');
      await bench.pass(1000);
    }
    expect(bench.prober.probed.length).toBeLessThanOrEqual(13);
    expect(bench.told().length).toBeLessThanOrEqual(13);
    expect(holder(bench)).toEqual({ address: home, certificate: 'c1' });
  });

  it('cannot spend the sequence of a newcomer', async () => {
    const { bench } = setUp();
    const next = bench.deafBoot('a.example', '10.0.0.2:7430', 'c2');
    bench.report(next, 'STARTUP');
    intrude(bench, { ...next, certificateSha256: 'c6' }, 'ALIVE');
    next.sequence++;
    const report = { ...announcement(next, 'ALIVE'), port: 7430, host: '' };
    expect(bench.registry.standing(report)).toMatchObject({ kind: 'NEW' });
  });
});

describe.each(reportTypes)('%s in the name of a node that restarts', (type) => {
  it('from elsewhere does not come before its next boot, and is named', async () => {
    const { bench, node } = setUp();
    const intruder = bench.deafBoot('a.example', elsewhere, 'c6');
    const inItsBoot = { ...node, certificateSha256: 'c7' };
    bench.prober.hold();
    intrude(bench, intruder, type, 1n);
    bench.report(node, 'SHUTDOWN');
    bench.prober.release();
    for (const boot of [intruder, inItsBoot]) intrude(bench, boot, type, 2n);
    await bench.pass(5000);
    const next = bench.boot('a.example', home, 'c2');
    bench.report(next, 'PROVISIONED');
    for (const boot of [intruder, inItsBoot]) intrude(bench, boot, type, 3n);
    await bench.pass(20_000);
    expect(bench.told()).toEqual([`SHUTDOWN${at}`, `PROVISIONED${at}`, conflict]);
    expect(bench.registry.configuredCount).toBe(1);
    expect(bench.report(next, 'PROVISIONED').kind).toBe('ACCEPTED');
  });
});

describe('an intruder who was there first, under the boot id of a node', () => {
  it('and whose agent does not answer makes room for it', async () => {
    const bench = new RegistryBench();
    const node = bench.boot('a.example', home, 'c1');
    const squatter = { ...bench.deafBoot('a.example', elsewhere, 'c6'), bootId: node.bootId };
    bench.report(squatter, 'ALIVE', { sequence: highest });
    expect(bench.report(node, 'STARTUP')).toMatchObject({ reason: 'CERTIFICATE_MISMATCH' });
    await settle();
    expect(bench.report(node, 'ALIVE').kind).toBe('ACCEPTED');
    expect(holder(bench)).toEqual({ address: home, certificate: 'c1' });
  });

  it('and said that it stops does not keep it out, and is told of to no one', () => {
    const bench = new RegistryBench();
    const node = bench.boot('a.example', home, 'c1');
    bench.report({ ...node, certificateSha256: 'c6', address: elsewhere }, 'SHUTDOWN', { sequence: highest });
    expect(bench.report(node, 'STARTUP').kind).toBe('ACCEPTED');
    expect(bench.told()).toEqual(['STARTUP a.example at 10.0.0.1']);
  });
});

describe('a node at a static target', () => {
  const probed = { source: 'PROBED', origin: '', sequence: 0n, digest: '' } as const;

  it('is bound to the certificate that it answered with', async () => {
    const bench = new RegistryBench();
    const node = bench.boot('a.example', home, 'c1');
    bench.registry.take(announcement(node, 'ALIVE', probed));
    bench.told();
    const outcome = intrude(bench, { ...node, certificateSha256: 'c6' }, 'ALIVE');
    expect(outcome).toMatchObject({ reason: 'CERTIFICATE_MISMATCH' });
    intrude(bench, bench.deafBoot('a.example', elsewhere, 'c7'), 'STARTUP');
    await bench.pass(20_000);
    expect(bench.told().filter((event) => event !== conflict)).toEqual([]);
    expect(holder(bench)).toEqual({ address: home, certificate: 'c1' });
  });

  it('that answers with another certificate and another boot was rebooted', async () => {
    const bench = new RegistryBench();
    bench.registry.take(announcement(bench.boot('a.example', home, 'c1'), 'ALIVE', probed));
    bench.registry.take(announcement(bench.boot('a.example', home, 'c2'), 'ALIVE', probed));
    expect(holder(bench)).toEqual({ address: home, certificate: 'c2' });
    expect(bench.prober.probed).toEqual([]);
  });

  it('that answers with another certificate for the same boot is refused while the first still answers', async () => {
    const { bench, node } = setUp();
    const relayed = { ...node, address: elsewhere, certificateSha256: 'c6' };
    expect(bench.registry.take(announcement(relayed, 'ALIVE', probed))).toMatchObject({
      reason: 'CERTIFICATE_MISMATCH',
    });
    await settle();
    expect(bench.told()).toEqual([conflict]);
    expect(holder(bench)).toEqual({ address: home, certificate: 'c1' });
  });

  it('that answered before it was rebooted is not taken back by that answer', async () => {
    const { bench, node } = setUp();
    const next = bench.boot('a.example', home, 'c2');
    bench.report(next, 'STARTUP');
    await settle();
    bench.registry.take(announcement(node, 'ALIVE', probed));
    await bench.pass(10_000);
    expect(holder(bench)).toEqual({ address: home, certificate: 'c2' });
  });
});

it('whatever an intruder says, a node that answers at its address keeps its lease, and is heard', async () => {
  const said = fc.record({
    type: fc.constantFrom(...reportTypes),
    boot: fc.constantFrom('ITS', 'MINE', 'NEW'),
    certificate: fc.constantFrom('c6', 'c7', 'c8'),
    sequence: fc.constantFrom(1n, 2n, 5n, highest),
    from: fc.constantFrom(elsewhere, '10.6.6.7:7430', home),
    probed: fc.boolean(),
  });
  const captured = fc.record({
    captured: fc.constantFrom(...reportTypes),
    ahead: fc.integer({ min: -2, max: 3 }),
  });
  const step = fc.oneof(said, captured, fc.constant('NODE' as const), fc.constant('SECOND' as const));
  const mine = newBootId();
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const { bench, node } = setUp();
      for (const next of steps) {
        if (next === 'SECOND') await bench.pass(1000);
        else if (next === 'NODE') expect(bench.report(node, 'ALIVE').kind).toBe('ACCEPTED');
        else if ('captured' in next) {
          const sequence = node.sequence + BigInt(next.ahead);
          if (sequence < 1n) continue;
          bench.registry.take(announcement({ ...node, address: elsewhere, sequence }, next.captured));
        } else {
          const { boot, certificate, sequence, from, type } = next;
          const bootId = { ITS: node.bootId, MINE: mine, NEW: newBootId() }[boot];
          const intruder = { ...node, bootId, certificateSha256: certificate, address: from, sequence };
          const asTarget = next.probed && from !== home;
          bench.registry.take(
            announcement(intruder, type, asTarget ? { source: 'PROBED', type: 'ALIVE' } : {}),
          );
        }
        await settle();
      }
      await bench.pass(6000);
      expect(bench.report(node, 'ALIVE').kind).toBe('ACCEPTED');
      expect(holder(bench)).toEqual({ address: home, certificate: 'c1' });
      expect(bench.told().filter((event) => event !== conflict)).toEqual([]);
    }),
    { numRuns: 150 },
  );
});
