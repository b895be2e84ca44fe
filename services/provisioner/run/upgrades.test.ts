import { describe, expect, it } from 'vitest';
import { anotherCertificate, type Fault, refused, status } from '../../../test/fakes/fake-node-agent.js';
import { type RunBench, upgradeBench } from '../../../test/fakes/run-bench.js';
import type { CallFailure } from './node.js';

const upgraded = { kind: 'UPGRADED', from: '1.0.0', to: '2.0.0' };
const undone = (failure: CallFailure): Fault => ({ kind: 'FAIL', failure });
const always = (fault: Fault): Fault[] => Array.from({ length: 20 }, () => fault);
const broken = undone(status('INTERNAL', { message: 'no space left on device' }));

function rpcs(bench: RunBench) {
  return bench.node.calls.map((call) => call.rpc).slice(2);
}

describe('a node that has another release than its helper wants', () => {
  it('changes to it and is not configured: the next run does that', async () => {
    const bench = upgradeBench();
    expect((await bench.run()).outcome).toEqual(upgraded);
    expect(bench.node.upgrades).toEqual([{ repository: 'https://repo.example.net/', version: '2.0.0' }]);
    expect(bench.story).toEqual(['IDENTIFY', 'GET_INVENTORY', 'HELPER', 'UPDATE_RELEASE']);
    bench.node.reboot();
    expect((await bench.run()).outcome.kind).toBe('PROVISIONED');
    expect(bench.node.count('updateRelease')).toBe(1);
  });

  it('goes back to an older one likewise', async () => {
    const bench = upgradeBench({}, '0.9');
    expect((await bench.run()).outcome).toEqual({ ...upgraded, to: '0.9' });
  });

  it('has as long as upgrade_timeout for each try', async () => {
    const bench = upgradeBench({ upgrades: { timeoutMs: 7_000 } });
    await bench.run();
    expect(bench.node.calls.find(({ rpc }) => rpc === 'updateRelease')?.timeoutMs).toBe(7_000);
  });

  it('keeps what it has where upgrades are off', async () => {
    const bench = upgradeBench({ features: { upgrades: false } });
    expect((await bench.run()).outcome.kind).toBe('PROVISIONED');
    expect(bench.story).not.toContain('UPDATE_RELEASE');
    expect(bench.warnings).toEqual([]);
  });

  it.each(['1.0.0', '0:1.0.0', '1.00.0'])('is configured where the names differ only: %s', async (wanted) => {
    const bench = upgradeBench({}, wanted);
    expect((await bench.run()).outcome.kind).toBe('PROVISIONED');
    expect(bench.node.upgrades).toEqual([]);
    expect(bench.warnings).toEqual([]);
  });
});

describe('an upgrade that is not begun', () => {
  const cases: readonly (readonly [string, (bench: RunBench) => void, string, string])[] = [
    [
      'of a node that does not say its version',
      ({ node }) => {
        node.inventory = { ...node.inventory, version: '' };
      },
      'UPGRADE_REFUSED',
      'the node did not say which one it has',
    ],
    [
      'of a node that cannot upgrade itself, whatever it says of itself to anybody',
      ({ node }) => {
        node.inventory = { ...node.inventory, upgradable: false };
      },
      'UPGRADE_REFUSED',
      'the node cannot upgrade itself',
    ],
  ];

  it.each(cases)('%s: fails the run and asks the node for nothing', async (_name, change, reason, why) => {
    const bench = upgradeBench();
    change(bench);
    const message = `the helper wants release 2.0.0, and ${why}`;
    expect((await bench.run()).outcome).toEqual({ kind: 'UPGRADE_FAILED', reason, message });
    expect(rpcs(bench)).toEqual([]);
    expect(bench.story.at(-1)).toBe(`UPDATE_RELEASE ${reason}`);
  });

  it.each(cases)('%s: is warned of where upgrades are optional', async (_name, change, reason, why) => {
    const bench = upgradeBench({ upgrades: { optional: true } });
    change(bench);
    expect((await bench.run()).outcome.kind).toBe('PROVISIONED');
    expect(rpcs(bench)).toEqual(['configure', 'restart']);
    expect(bench.warnings).toEqual([expect.stringMatching(`${reason}: .*${why}`)]);
  });

  it('for want of a repository: says which setting is not set', async () => {
    const { outcome } = await upgradeBench({ upgrades: { repository: undefined } }).run();
    expect(outcome).toMatchObject({
      reason: 'UPGRADE_REFUSED',
      message: expect.stringContaining('upgrades_repository is not set'),
    });
  });

  it('after three that left the node at the same version: is a loop', async () => {
    const bench = upgradeBench();
    const { outcome } = await bench.run({ upgradedFrom: ['1.0.0', '1.0', '1.0.0', '1.0.00'] });
    expect(outcome).toMatchObject({ kind: 'UPGRADE_FAILED', reason: 'UPGRADE_LOOP' });
    expect(bench.node.upgrades).toEqual([]);
    expect((await bench.run({ upgradedFrom: ['1.0.0', '1.0.0'] })).outcome).toEqual(upgraded);
  });

  it('in a loop is left out where upgrades are optional', async () => {
    const bench = upgradeBench({ upgrades: { optional: true } });
    const { outcome } = await bench.run({ upgradedFrom: ['1.0.0', '1.0.0', '1.0.0'] });
    expect(outcome.kind).toBe('PROVISIONED');
    expect(bench.warnings).toEqual([expect.stringContaining('UPGRADE_LOOP')]);
  });

  it('because the node lacks the RPC: the node serves the site all the same where none is wanted', async () => {
    const bench = upgradeBench({}, '');
    bench.node.features = { ...bench.node.features, upgrades: false };
    expect((await bench.run()).outcome.kind).toBe('PROVISIONED');
  });
});

describe('an upgrade that fails', () => {
  it('is tried three times, each after the node was asked, and fails the run', async () => {
    const bench = upgradeBench();
    bench.node.fault('updateRelease', broken, broken, broken);
    expect((await bench.run()).outcome).toEqual({
      kind: 'UPGRADE_FAILED',
      reason: 'UPGRADE_RPC_FAILED',
      message: 'the node did not change from 1.0.0 to 2.0.0: INTERNAL: no space left on device',
    });
    expect(rpcs(bench)).toEqual(Array.from({ length: 3 }, () => ['updateRelease', 'getRunStatus']).flat());
  });

  it('once is tried again', async () => {
    const bench = upgradeBench();
    bench.node.fault('updateRelease', undone(refused), broken);
    expect((await bench.run()).outcome).toEqual(upgraded);
    expect(bench.node.upgrades).toHaveLength(1);
  });

  it.each<[string, CallFailure]>([
    ['refused for its arguments', status('INVALID_ARGUMENT', { reason: 'ARGUMENT_INVALID' })],
    ['unknown to the node', status('UNIMPLEMENTED')],
    ['too much for the node', status('RESOURCE_EXHAUSTED')],
    ['forbidden', status('PERMISSION_DENIED')],
  ])('for good, %s: is not tried again', async (_name, failure) => {
    const bench = upgradeBench();
    bench.node.fault('updateRelease', undone(failure));
    expect((await bench.run()).outcome).toMatchObject({ reason: 'UPGRADE_RPC_FAILED' });
    expect(bench.node.count('updateRelease')).toBe(1);
  });

  it.each<[string, Fault]>([
    ['by the node', broken],
    ['for want of a connection', undone(refused)],
    ['for its arguments', undone(status('INVALID_ARGUMENT', { reason: 'ARGUMENT_INVALID' }))],
  ])('%s is warned of, and the node configured, where upgrades are optional', async (_name, fault) => {
    const bench = upgradeBench({ upgrades: { optional: true } });
    bench.node.fault('updateRelease', fault, fault, fault);
    expect((await bench.run()).outcome.kind).toBe('PROVISIONED');
    expect(bench.node.committed).toHaveLength(1);
    expect(bench.warnings).toEqual([expect.stringContaining('UPGRADE_RPC_FAILED')]);
  });

  describe.each([false, true])('(optional: %s) because of who the node is or whose', (optional) => {
    it.each<[string, CallFailure, object]>([
      ['another machine', precondition('IDENTITY_MISMATCH'), { kind: 'FAILED', reason: 'IDENTITY_MISMATCH' }],
      ['configured', precondition('NOT_PROVISIONING'), { kind: 'FAILED', reason: 'NOT_PROVISIONING' }],
      [
        'of another secret',
        status('UNAUTHENTICATED', { reason: 'PROOF_INVALID' }),
        { kind: 'FAILED', reason: 'PROOF_INVALID' },
      ],
      ['about to stop', precondition('STOPPING'), { kind: 'DEFERRED', by: 'NODE' }],
      ['rebooted', precondition('REBOOTED'), { kind: 'SUPERSEDED', by: 'BOOT' }],
      ['another boot', anotherCertificate, { kind: 'SUPERSEDED', by: 'BOOT' }],
      [
        'in the hands of another',
        status('ABORTED', { reason: 'STALE_FENCE' }),
        { kind: 'SUPERSEDED', by: 'FENCE' },
      ],
      [
        'asking for patience',
        status('UNAVAILABLE', { retryAfterMs: 60_000 }),
        { kind: 'DEFERRED', by: 'NODE', retryAfterMs: 60_000 },
      ],
    ])('%s: ends the run as that, and configures nothing', async (_name, failure, outcome) => {
      const bench = upgradeBench({ upgrades: { optional } });
      bench.node.fault('updateRelease', undone(failure));
      expect((await bench.run()).outcome).toMatchObject(outcome);
      expect(bench.node.committed).toEqual([]);
    });

    it('held by another site: fails as a call that failed', async () => {
      const bench = upgradeBench({ upgrades: { optional } });
      bench.node.fault('updateRelease', ...always(undone(status('ABORTED', { reason: 'LOCKED' }))));
      expect((await bench.run()).outcome).toMatchObject({ kind: 'FAILED', reason: 'RPC_FAILED' });
      expect(bench.node.committed).toEqual([]);
    });
  });
});

function precondition(reason: string): CallFailure {
  return status('FAILED_PRECONDITION', { reason });
}
