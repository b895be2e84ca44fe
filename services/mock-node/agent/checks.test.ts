import { describe, expect, test } from 'vitest';
import { newBootId, newRunId, parseIdentity } from '../../../shared/identity.js';
import { agentConfiguration } from '../../../test/fakes/agent-configurations.js';
import type { Arguments, Caller, PendingStop, Rpc, StopRpc } from './call.js';
import { checkAdmission, checkRequest, type Standing } from './checks.js';

const identity = parseIdentity('web-1.example.net') ?? '';
const bootId = newBootId();
const runId = newRunId();
const otherRun = newRunId();
const now = 1_000_000;

const caller: Caller = {
  identity,
  boot: bootId,
  proof: 'right',
  site: 'default',
  provisioner: 'p1',
  run: runId,
  fence: 100n,
};

const waiting: Standing = {
  identity,
  bootId,
  provisioning: true,
  hasSecret: true,
  acceptsProof: ({ proof }) => proof === 'right',
  pending: undefined,
  hold: undefined,
  holdOfSite: undefined,
  now,
};

const configured: Standing = { ...waiting, provisioning: false };

function pending(rpc: StopRpc, of = runId): PendingStop {
  return { rpc, runId: of, at: now + 500 };
}

function heldBy(site: string, fence: bigint, of = otherRun, idleMs = 0): Standing['hold'] {
  return { site, fence, runId: of, lastCallAt: now - idleMs };
}

/** The node, held by the caller's own site. */
function heldByOwn(fence: bigint, of = otherRun, idleMs = 0): Standing {
  const hold = heldBy(caller.site, fence, of, idleMs);
  return { ...waiting, hold, holdOfSite: hold };
}

function reasonOf(rpc: Rpc, of: Caller, node: Standing): string {
  return checkAdmission(rpc, of, node)?.reason ?? 'admitted';
}

const everyRpc: readonly Rpc[] = [
  'GetJwt',
  'GenerateEd25519Key',
  'GetInventory',
  'GenerateCsr',
  'UpdateRelease',
  'Configure',
  'Restart',
  'Shutdown',
  'Reprovision',
  'GetRunStatus',
];

describe('what is wrong is told in the order of the table', () => {
  // Each row mends what the row before was refused for.
  const wrong: Caller = { ...caller, identity: 'other', boot: newBootId(), proof: 'wrong', fence: 50n };
  const held = heldBy('elsewhere', 100n);
  const rows: readonly [string, Caller, Standing][] = [
    ['IDENTITY_MISMATCH', wrong, { ...configured, pending: pending('Shutdown', otherRun), hold: held }],
    [
      'REBOOTED',
      { ...wrong, identity },
      { ...configured, pending: pending('Shutdown', otherRun), hold: held },
    ],
    [
      'PROOF_INVALID',
      { ...caller, proof: 'wrong', fence: 50n },
      { ...configured, pending: pending('Shutdown', otherRun), hold: held },
    ],
    [
      'NOT_PROVISIONING',
      { ...caller, fence: 50n },
      { ...configured, pending: pending('Shutdown', otherRun), hold: held },
    ],
    [
      'STOPPING',
      { ...caller, fence: 50n },
      { ...waiting, pending: pending('Shutdown', otherRun), hold: held },
    ],
    ['LOCKED', { ...caller, site: '', run: '', fence: undefined }, { ...waiting, hold: held }],
    ['STALE_FENCE', { ...caller, run: '', fence: 50n }, heldByOwn(100n)],
    ['ARGUMENT_INVALID', { ...caller, run: '' }, waiting],
    ['admitted', caller, waiting],
  ];
  test.each(rows)('%s', (reason, of, node) => {
    expect(reasonOf('Configure', of, node)).toBe(reason);
  });
});

test('an identity in upper case is the same identity', () => {
  expect(reasonOf('Configure', { ...caller, identity: identity.toUpperCase() }, waiting)).toBe('admitted');
});

describe('the mode in which each RPC passes', () => {
  const withoutSecret = { hasSecret: false, acceptsProof: () => true };
  test.each<[Rpc, string, string, string]>([
    // RPC, in provisioning mode, configured, configured without a secret
    ['GetJwt', 'admitted', 'NOT_PROVISIONING', 'NOT_PROVISIONING'],
    ['GenerateEd25519Key', 'admitted', 'NOT_PROVISIONING', 'NOT_PROVISIONING'],
    ['GetInventory', 'admitted', 'NOT_PROVISIONING', 'NOT_PROVISIONING'],
    ['GenerateCsr', 'admitted', 'NOT_PROVISIONING', 'NOT_PROVISIONING'],
    ['UpdateRelease', 'admitted', 'NOT_PROVISIONING', 'NOT_PROVISIONING'],
    ['Configure', 'admitted', 'NOT_PROVISIONING', 'NOT_PROVISIONING'],
    ['Restart', 'admitted', 'admitted', 'NOT_PROVISIONING'],
    ['Shutdown', 'admitted', 'admitted', 'NOT_PROVISIONING'],
    ['Reprovision', 'PROVISIONING', 'admitted', 'admitted'],
    ['GetRunStatus', 'admitted', 'admitted', 'admitted'],
  ])('%s', (rpc, provisioning, isConfigured, isConfiguredWithoutSecret) => {
    expect(reasonOf(rpc, caller, waiting)).toBe(provisioning);
    expect(reasonOf(rpc, caller, configured)).toBe(isConfigured);
    expect(reasonOf(rpc, caller, { ...configured, ...withoutSecret })).toBe(isConfiguredWithoutSecret);
  });
});

describe('while a stop is pending', () => {
  test.each<[StopRpc, Standing]>([
    ['Restart', waiting],
    ['Shutdown', waiting],
    ['UpdateRelease', waiting],
    ['Reprovision', configured],
  ])('of %s only its repeat and GetRunStatus pass', (rpc, node) => {
    for (const each of everyRpc) {
      if (reasonOf(each, caller, node) !== 'admitted') continue;
      const expected = each === rpc || each === 'GetRunStatus' ? 'admitted' : 'STOPPING';
      expect(reasonOf(each, caller, { ...node, pending: pending(rpc) })).toBe(expected);
      const ofAnotherRun = each === 'GetRunStatus' ? 'admitted' : 'STOPPING';
      expect(reasonOf(each, caller, { ...node, pending: pending(rpc, otherRun) })).toBe(ofAnotherRun);
    }
  });
});

describe('a caller that does not say', () => {
  test.each([
    ['its site', { site: '' }, 'slipway-site'],
    ['its run', { run: 'run-1' }, 'slipway-run'],
    ['its fence', { fence: undefined }, 'slipway-fence'],
  ])('%s is told so', (_what, missing, field) => {
    expect(checkAdmission('GetInventory', { ...caller, ...missing }, waiting)).toMatchObject({
      reason: 'ARGUMENT_INVALID',
      violations: [{ field }],
    });
  });
});

describe('the lock of another site', () => {
  test('holds for two minutes after its last call', () => {
    const at = (idleMs: number) =>
      checkAdmission('GetInventory', caller, { ...waiting, hold: heldBy('elsewhere', 1n, otherRun, idleMs) });
    expect(at(0)).toEqual({ reason: 'LOCKED', site: 'elsewhere', retryAfterMs: 120_000 });
    expect(at(119_000)).toEqual({ reason: 'LOCKED', site: 'elsewhere', retryAfterMs: 1_000 });
    expect(at(120_000)).toBeUndefined();
  });

  test('goes to the other site whatever its fence', () => {
    const hold = heldBy('elsewhere', 10n ** 18n, otherRun, 120_000);
    expect(reasonOf('GetInventory', caller, { ...waiting, hold })).toBe('admitted');
  });
});

describe('the fence of the same site', () => {
  test.each<[string, bigint, typeof runId, string]>([
    ['lower than the one seen', 99n, runId, 'STALE_FENCE'],
    ['equal, of another run', 100n, otherRun, 'STALE_FENCE'],
    ['equal, of the same run', 100n, runId, 'admitted'],
    ['higher, at once', 101n, otherRun, 'admitted'],
  ])('%s', (_what, fence, run, expected) => {
    const node = heldByOwn(100n, runId, 0);
    expect(reasonOf('GetInventory', { ...caller, fence, run }, node)).toBe(expected);
    // Another site that held it since and let go of it does not count.
    const since = { ...node, hold: heldBy('elsewhere', 1n, otherRun, 120_000) };
    expect(reasonOf('GetInventory', { ...caller, fence, run }, since)).toBe(expected);
  });

  test('a stale one is told the fence seen and how long it has been idle', () => {
    const node = heldByOwn(100n, otherRun, 31_500);
    expect(checkAdmission('GetInventory', caller, node)).toEqual({
      reason: 'STALE_FENCE',
      fence: 100n,
      idleMs: 31_500,
    });
  });
});

describe('what is asked for', () => {
  const configuration = agentConfiguration();
  const subject = {
    commonName: identity,
    country: '',
    province: '',
    locality: '',
    organization: '',
    organizationalUnit: '',
  };
  test.each<[string, Arguments, boolean, string]>([
    ['a configuration', { rpc: 'Configure', configuration }, true, 'admitted'],
    [
      'a bad configuration',
      { rpc: 'Configure', configuration: { ...configuration, configurationJson: '{}' } },
      true,
      'ARGUMENT_INVALID',
    ],
    ['a token', { rpc: 'GetJwt' }, true, 'admitted'],
    ['a key', { rpc: 'GenerateEd25519Key', nonce: new Uint8Array(32) }, true, 'admitted'],
    [
      'a key with a bad nonce',
      { rpc: 'GenerateEd25519Key', nonce: new Uint8Array(31) },
      true,
      'ARGUMENT_INVALID',
    ],
    ['a request', { rpc: 'GenerateCsr', subject }, true, 'admitted'],
    [
      'a request for nobody',
      { rpc: 'GenerateCsr', subject: { ...subject, commonName: '' } },
      true,
      'ARGUMENT_INVALID',
    ],
    ['a restart into provisioning mode', { rpc: 'Restart', splayMs: 0 }, true, 'PROVISIONING_ENABLED'],
    ['a bad splay first', { rpc: 'Restart', splayMs: -1 }, true, 'ARGUMENT_INVALID'],
    ['a restart out of provisioning mode', { rpc: 'Restart', splayMs: 1_000 }, false, 'admitted'],
    ['a release', { rpc: 'UpdateRelease', release: { repository: 'r', version: '2.0' } }, true, 'admitted'],
    [
      'a release without a version',
      { rpc: 'UpdateRelease', release: { repository: 'r', version: '' } },
      true,
      'ARGUMENT_INVALID',
    ],
    ['a shutdown', { rpc: 'Shutdown' }, true, 'admitted'],
  ])('%s', (_what, call, enablesProvisioning, expected) => {
    const node = { directory: '/nodes/web-1', enablesProvisioning };
    expect(checkRequest(call, node)?.reason ?? 'admitted').toBe(expected);
  });
});
