import { describe, expect, test } from 'vitest';
import { Secret } from '../../../shared/secret.js';
import { TrustError } from '../../../shared/trust/trust-error.js';
import { helperReply } from '../../../test/fakes/fake-helper.js';
import type { HelperReply } from '../helper/helper.js';
import { type Decision, type DecisionContext, decide } from './decision.js';

const publicKeys = { nodeEcdhPublic: Buffer.alloc(32, 1), provisionerEcdhPublic: Buffer.alloc(32, 2) };
const context: DecisionContext = {
  identity: 'n1.example.net',
  features: { jwt: true, ed25519: true, upgrades: true },
  node: { version: '0.29.4', upgradable: true },
  upgradesRepository: 'http://repo.example/',
  upgradesOptional: false,
  upgradedFrom: [],
  publicKey: 'ab'.repeat(32),
  encryptKey: (key) => ({ ...publicKeys, pem: `encrypted ${key.reveal()}` }),
  now: 1_800_000_000,
  serverJwtValidityMs: 3_600_000,
};

const configuration = new Map([['identity', 'n1.example.net']]);

function decided(reply: Partial<HelperReply>, change: Partial<DecisionContext> = {}): Decision {
  return decide(helperReply({ configuration, ...reply }), { ...context, ...change });
}

describe('what ends a run', () => {
  test('of a reason that is a book only its beginning goes into logs and events', () => {
    const msg = 'ä'.repeat(100_000);
    const given = 'ä'.repeat(1_024);
    expect(decided({ defer: true, msg })).toMatchObject({ kind: 'DEFER', message: given });
    expect(decided({ shutdown: true, msg })).toMatchObject({ kind: 'SHUT_DOWN', message: given });
  });

  test('defer beats shutdown and all else', () => {
    expect(decided({ defer: true, shutdown: true, msg: 'later', retryAfterMs: 5, upgrade: '1' })).toEqual({
      kind: 'DEFER',
      message: 'later',
      retryAfterMs: 5,
    });
  });

  test('a shutdown needs no credentials', () => {
    expect(decided({ shutdown: true, msg: 'bye', key: new Secret('k') }, { encryptKey: undefined })).toEqual({
      kind: 'SHUT_DOWN',
      message: 'bye',
    });
  });

  test('a node is not configured with nothing', () => {
    expect(decided({ configuration: new Map() })).toMatchObject({ reason: 'EMPTY_CONFIGURATION' });
  });
});

describe('credentials', () => {
  test('are a server token and an encrypted key', () => {
    expect(decided({ key: new Secret('k') })).toMatchObject({
      kind: 'CONFIGURE',
      credentials: {
        server: { claims: { identity: 'n1.example.net', publicKey: context.publicKey } },
        key: { ...publicKeys, pem: 'encrypted k' },
      },
    });
  });

  test('are none where the features are off and there is no key', () => {
    const features = { jwt: false, ed25519: false, upgrades: false };
    expect(decided({}, { features, publicKey: undefined, encryptKey: undefined })).toMatchObject({
      kind: 'CONFIGURE',
      credentials: { server: undefined, key: undefined },
    });
  });

  test('that would expire at once fail the run', () => {
    expect(decided({ serverClaims: { exp: 5 } })).toMatchObject({ reason: 'SERVER_CLAIMS_EXPIRED' });
  });

  test('an expiry is not looked at where no token is made', () => {
    const features = { jwt: true, ed25519: false, upgrades: false };
    expect(decided({ serverClaims: { exp: 5 } }, { features })).toMatchObject({ kind: 'CONFIGURE' });
  });

  test('a key that nothing encrypts fails the run, which says why', () => {
    const key = new Secret('k');
    const off = { jwt: false, ed25519: false, upgrades: false };
    expect(decided({ key }, { encryptKey: undefined, features: off })).toMatchObject({
      reason: 'KEY_INVALID',
      message: expect.stringContaining('features.jwt'),
    });
    expect(decided({ key }, { encryptKey: undefined })).toMatchObject({ reason: 'KEY_INVALID' });
  });

  test('a key that cannot be used fails the run', () => {
    const encryptKey = () => {
      throw new TrustError('MALFORMED', 'the key is no PEM');
    };
    expect(decided({ key: new Secret('k') }, { encryptKey })).toMatchObject({
      reason: 'KEY_INVALID',
      message: expect.stringContaining('no PEM'),
    });
  });
});

describe('upgrades', () => {
  test('another version is an upgrade, with the credentials at hand', () => {
    expect(decided({ upgrade: '0.30.0' })).toMatchObject({
      kind: 'UPGRADE',
      target: '0.30.0',
      repository: 'http://repo.example/',
      credentials: { server: expect.anything() },
    });
  });

  test('needs no configuration: the next run brings it', () => {
    expect(decided({ upgrade: '0.30.0', configuration: new Map() })).toMatchObject({ kind: 'UPGRADE' });
  });

  test.each<[string, Partial<HelperReply>, Partial<DecisionContext>]>([
    ['none is wanted', {}, {}],
    ['the versions are equal', { upgrade: '0.29.4' }, { node: { version: '0.29.4', upgradable: false } }],
    ['the versions are equal by comparison', { upgrade: '0:0.29.4' }, {}],
    ['the feature is off', { upgrade: '9' }, { features: { jwt: true, ed25519: true, upgrades: false } }],
  ])('%s: on to the configuration', (_what, reply, change) => {
    expect(decided(reply, change)).toMatchObject({ kind: 'CONFIGURE', upgradeRefused: undefined });
  });

  test.each<[string, Partial<DecisionContext>]>([
    ['the node did not say which one it has', { node: { version: '', upgradable: true } }],
    ['the node cannot upgrade itself', { node: { version: '0.29.4', upgradable: false } }],
    ['upgrades_repository is not set', { upgradesRepository: undefined }],
  ])('%s: refused, or left out where upgrades are optional', (why, change) => {
    const message = `the helper wants release 0.30.0, and ${why}`;
    expect(decided({ upgrade: '0.30.0' }, change)).toEqual({
      kind: 'UPGRADE_FAILED',
      reason: 'UPGRADE_REFUSED',
      message,
    });
    expect(decided({ upgrade: '0.30.0' }, { ...change, upgradesOptional: true })).toMatchObject({
      kind: 'CONFIGURE',
      upgradeRefused: message,
    });
  });

  test.each([
    ['a long text', '7'.repeat(257), 'it has 257 characters, more than 256'],
    ['a line break', '2.0\n', 'it has a control character'],
    ['a secret in its place', '-----BEGIN PRIVATE KEY-----\nMC4CAQ', 'it has a control character'],
  ])('what is no version, such as %s, is not repeated to anybody', (_what, upgrade, why) => {
    const message = `what the helper gives as upgrade is no version: ${why}`;
    expect(decided({ upgrade })).toEqual({ kind: 'UPGRADE_FAILED', reason: 'UPGRADE_REFUSED', message });
    expect(decided({ upgrade }, { upgradesOptional: true })).toMatchObject({
      kind: 'CONFIGURE',
      upgradeRefused: message,
    });
  });

  test('an older version is an upgrade too', () => {
    expect(decided({ upgrade: '0.28.0' })).toMatchObject({ kind: 'UPGRADE', target: '0.28.0' });
  });

  test.each<[string, string[]]>([
    ['three that started where the node is now', ['0.29.4', '0.29.4', '0.29.4']],
    ['under whatever name', ['0.29.4', '0:0.29.4', '0.29.04']],
    ['also with others in between', ['0.29.4', '0.30.0', '0.29.4', '0.30.0', '0.29.4']],
  ])('%s are a loop, or left out where upgrades are optional', (_what, upgradedFrom) => {
    const message =
      'the helper wants release 0.31.0, and the node is at 0.29.4 again, from which 3 upgrades in a row have started';
    expect(decided({ upgrade: '0.31.0' }, { upgradedFrom })).toEqual({
      kind: 'UPGRADE_FAILED',
      reason: 'UPGRADE_LOOP',
      message,
    });
    expect(decided({ upgrade: '0.31.0' }, { upgradedFrom, upgradesOptional: true })).toMatchObject({
      kind: 'CONFIGURE',
      upgradeRefused: message,
    });
  });

  test('two that started where the node is are no loop, nor are many from elsewhere', () => {
    const upgradedFrom = ['0.29.4', '0.1', '0.2', '0.3', '0.3', '0.3', '0.29.4'];
    expect(decided({ upgrade: '0.30.0' }, { upgradedFrom })).toMatchObject({ kind: 'UPGRADE' });
  });

  test('a node that is at another version after each upgrade is in a loop after so many of them', () => {
    const upgradedFrom = Array.from({ length: 16 }, (_, index) => `0.1.${index}`);
    expect(decided({ upgrade: '0.30.0' }, { upgradedFrom: upgradedFrom.slice(1) })).toMatchObject({
      kind: 'UPGRADE',
    });
    expect(decided({ upgrade: '0.30.0' }, { upgradedFrom })).toEqual({
      kind: 'UPGRADE_FAILED',
      reason: 'UPGRADE_LOOP',
      message: 'the helper wants release 0.30.0, and 16 upgrades in a row have not brought the node there',
    });
  });

  test('a node that has arrived, or that cannot upgrade, is in no loop', () => {
    const upgradedFrom = ['0.29.4', '0.29.4', '0.29.4'];
    expect(decided({ upgrade: '0.29.4' }, { upgradedFrom })).toMatchObject({ kind: 'CONFIGURE' });
    const node = { version: '0.29.4', upgradable: false };
    expect(decided({ upgrade: '0.30.0' }, { upgradedFrom, node })).toMatchObject({
      reason: 'UPGRADE_REFUSED',
    });
  });
});
