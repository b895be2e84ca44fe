import { describe, expect, test } from 'vitest';
import type { Identity } from '../../../shared/identity.js';
import { Secret } from '../../../shared/secret.js';
import { FakeClock, settle } from '../../../test/fakes/fake-clock.js';
import {
  anotherCertificate,
  dropped,
  FakeNode,
  refused,
  status,
  tooLate,
} from '../../../test/fakes/fake-node-agent.js';
import { Fences } from '../run/fences.js';
import { ControlError } from './control-error.js';
import type { Place } from './meeting.js';
import { type Reprovisioned, reprovision } from './reprovision.js';

const given: Place = { kind: 'GIVEN', address: '192.0.2.1:7430' };

class Bench {
  readonly clock = new FakeClock();
  readonly node = new FakeNode(this.clock);
  tokens = ['s3cret'];

  constructor() {
    this.node.provisioning = false;
  }

  async run(place: Place = given, identity = this.node.identity as string): Promise<Reprovisioned> {
    const { clock, node } = this;
    const call = reprovision(
      {
        dial: node.dial,
        firstContact: node.meet,
        networks: [],
        lookup: (host) => Promise.reject(new Error(`ENOTFOUND ${host}`)),
        identifyTimeoutMs: 2_000,
        rpcTimeoutMs: 10_000,
        clock,
        random: () => 0.5,
        fences: new Fences(clock),
        tokens: () => this.tokens.map((token) => new Secret(token)),
      },
      identity as Identity,
      place,
      new AbortController().signal,
    );
    let over = false;
    const end = () => {
      over = true;
    };
    call.then(end, end);
    for (let waited = 0; !over && waited < 100_000; waited += 100) {
      await settle();
      if (!over) await clock.advance(100);
    }
    return await call;
  }
}

describe('a configured node', () => {
  test('goes back into provisioning mode, under a run and a fence of its own', async () => {
    const bench = new Bench();
    const now = bench.clock.now();
    const done = await bench.run();
    expect(done).toMatchObject({ message: 'restarting into provisioning mode', restartingInMs: 1_000 });
    expect(bench.node.records.get(done.runId)?.stage).toBe('RESTARTING');
    expect(bench.node.fence).toMatchObject({ value: BigInt(now), runId: done.runId });
    expect(bench.node.openChannels).toBe(0);
  });

  test('is asked with each secret until one fits', async () => {
    const bench = new Bench();
    bench.tokens = ['newest', 'older', 'oldest'];
    bench.node.secret = 'oldest';
    await bench.run();
    expect(bench.node.count('reprovision')).toBe(3);
    bench.node.reboot({ configured: true });
    bench.tokens = ['newest'];
    await expect(bench.run()).rejects.toMatchObject({ kind: 'NOT_NOW', reason: 'PROOF_INVALID' });
  });

  test('is asked again where the connection is refused, and is not there after three tries', async () => {
    const bench = new Bench();
    const failed = { kind: 'FAIL', failure: refused } as const;
    bench.node.fault('reprovision', failed, failed);
    await bench.run();
    expect(bench.node.count('reprovision')).toBe(3);
    bench.node.reboot({ configured: true });
    bench.node.fault('reprovision', failed, failed, failed);
    await expect(bench.run()).rejects.toMatchObject({ kind: 'UNREACHABLE', reason: 'UNREACHABLE' });
  });

  test('that booted since it was met is met again, once', async () => {
    const bench = new Bench();
    let boots = 1;
    bench.node.onCall = ({ rpc }) => {
      if (rpc === 'reprovision' && boots-- > 0) bench.node.reboot({ configured: true });
    };
    await bench.run();
    expect(bench.node.count('identify')).toBe(2);
    boots = 2;
    bench.node.reboot({ configured: true });
    await expect(bench.run()).rejects.toMatchObject({ kind: 'UNREACHABLE' });
  });
});

describe('who is not put back', () => {
  test('is in provisioning mode already', async () => {
    const bench = new Bench();
    bench.node.provisioning = true;
    await expect(bench.run()).rejects.toMatchObject({ kind: 'NOT_NOW', reason: 'PROVISIONING' });
    expect(bench.node.count('reprovision')).toBe(0);
  });

  test('is somebody else', async () => {
    const wrong = new Bench().run(given, 'other.example.net');
    const message = '192.0.2.1:7430 answers as n1.example.net, not as other.example.net';
    await expect(wrong).rejects.toEqual(new ControlError('NOT_NOW', 'IDENTITY_MISMATCH', message));
  });

  test('shows another certificate than the one that is known', async () => {
    const bench = new Bench();
    bench.node.fault('identify', { kind: 'FAIL', failure: anotherCertificate });
    const node = { address: '192.0.2.1:7430', certificateSha256: 'ab'.repeat(32) };
    const run = bench.run({ kind: 'KNOWN', node });
    await expect(run).rejects.toThrow(/another certificate .*; give its address/);
  });

  test('is at work for another site, or about to stop', async () => {
    const bench = new Bench();
    const locked = status('ABORTED', { reason: 'LOCKED', retryAfterMs: 90_000 });
    bench.node.fault('reprovision', { kind: 'FAIL', failure: locked });
    await expect(bench.run()).rejects.toMatchObject({
      kind: 'CONTENDED',
      reason: 'LOCKED',
      retryAfterMs: 90_000,
    });
    const stopping = status('FAILED_PRECONDITION', { reason: 'STOPPING' });
    bench.node.fault('reprovision', { kind: 'FAIL', failure: stopping });
    await expect(bench.run()).rejects.toMatchObject({ kind: 'NOT_NOW', reason: 'STOPPING' });
  });

  test('has no address', async () => {
    const bad = (address: string) => new Bench().run({ kind: 'GIVEN', address });
    await expect(bad('nonsense')).rejects.toMatchObject({ kind: 'BAD_ADDRESS', reason: 'ARGUMENT_INVALID' });
    await expect(bad('169.254.0.1:7430')).rejects.toMatchObject({ kind: 'BAD_ADDRESS' });
    await expect(bad('nowhere.example.net:7430')).rejects.toMatchObject({
      kind: 'UNREACHABLE',
      message: 'nowhere.example.net does not resolve: ENOTFOUND nowhere.example.net',
    });
  });
});

describe('a reply that was lost', () => {
  test.each([
    ['dropped', { kind: 'LOSE_REPLY', failure: dropped }],
    ['never sent', { kind: 'HANG', done: true }],
    ['garbled', { kind: 'LOSE_REPLY', failure: { kind: 'REPLY_INVALID', message: 'garbage' } }],
  ] as const)('is settled by asking the node: %s', async (_how, fault) => {
    const bench = new Bench();
    bench.node.fault('reprovision', fault);
    const done = await bench.run();
    expect(done).toMatchObject({ restartingInMs: undefined });
    expect(done.message).toMatch(/reply was lost, and the node says that it restarts/);
    expect(bench.node.count('reprovision')).toBe(1);
  });

  test('of a call that was not done leads to another', async () => {
    const bench = new Bench();
    bench.node.fault('reprovision', { kind: 'FAIL', failure: tooLate });
    expect(await bench.run()).toMatchObject({ restartingInMs: 1_000 });
    expect(bench.node.count('reprovision')).toBe(2);
  });

  test.each([
    [false, /has restarted into provisioning mode/, 1],
    [true, /restarting into provisioning mode/, 2],
  ])('is settled by who boots then (configured: %s)', async (configured, message, asked) => {
    const bench = new Bench();
    const runs = bench.node.records;
    bench.node.fault('reprovision', { kind: 'LOSE_REPLY', failure: dropped });
    let booted = false;
    bench.node.onCall = ({ rpc }) => {
      if (rpc !== 'getRunStatus' || booted) return;
      booted = true;
      bench.node.reboot({ configured });
    };
    const done = await bench.run();
    expect(done.message).toMatch(message);
    expect(bench.node.count('reprovision')).toBe(asked);
    expect(runs.has(done.runId)).toBe(true);
  });

  test('stays lost where nobody can be asked, and that is said', async () => {
    const bench = new Bench();
    bench.node.fault('reprovision', { kind: 'LOSE_REPLY', failure: dropped });
    bench.node.onCall = ({ rpc }) => {
      if (rpc === 'getRunStatus') bench.node.gone = true;
    };
    await expect(bench.run()).rejects.toMatchObject({ kind: 'UNREACHABLE', reason: 'UNSETTLED' });
  });
});
