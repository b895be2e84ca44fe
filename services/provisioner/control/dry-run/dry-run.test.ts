import { expect, test } from 'vitest';
import type { Identity } from '../../../../shared/identity.js';
import { FakeClock } from '../../../../test/fakes/fake-clock.js';
import type { HelperInput } from '../../helper/helper.js';
import { encodeInput } from '../../helper/input.js';
import { parseReply } from '../../helper/reply.js';
import type { HelperTrial } from '../../helper/trial.js';
import { ControlError } from '../control-error.js';
import { type DryRunInput, type DryRunOptions, dryRun } from './dry-run.js';
import { InputError } from './input.js';
import { Room } from './room.js';

const identity = 'n1.example.net' as Identity;
const never = new AbortController().signal;

const known: HelperInput = {
  identity,
  key: { publicKey: Buffer.alloc(32, 0xab), signature: Buffer.alloc(64), directory: '/etc' },
  inventory: {
    version: '1.0.0',
    upgradable: true,
    agents: [],
    classes: [],
    collectives: [],
    mainCollective: '',
    dataPlugins: [],
    machinesJson: '[]',
    factsJson: '{"serial":12345678901234567890}',
  },
};

class Bench {
  readonly clock = new FakeClock();
  readonly given: string[] = [];
  upgradedFrom: readonly string[] = [];

  async run(
    reply: object | HelperTrial['verdict'],
    input: DryRunInput = { kind: 'HOST', identity },
    over: Partial<DryRunOptions> = {},
  ) {
    const text = JSON.stringify(reply);
    const verdict: HelperTrial['verdict'] =
      'kind' in reply ? reply : { kind: 'REPLY', reply: parseReply(text), text };
    const options: DryRunOptions = {
      trials: {
        tryOut: async (bytes) => {
          this.given.push(bytes.toString());
          return { verdict, exitCode: 0, stderr: 'looked', durationMs: 12 };
        },
      },
      room: new Room(),
      inputs: { of: (wanted) => (wanted === identity ? known : undefined) },
      upgradedFrom: () => this.upgradedFrom,
      features: { jwt: true, ed25519: true, pki: false, upgrades: true },
      upgradesRepository: 'https://repo.example.net/',
      upgradesOptional: false,
      serverJwtValidityMs: 3_600_000,
      signing: undefined,
      clock: this.clock,
      ...over,
    };
    return await dryRun(options, input, never);
  }
}

test('what was last asked about a host is asked again, word for word', async () => {
  const bench = new Bench();
  const run = await bench.run({ configuration: { a: 'b' } });
  expect(bench.given).toEqual([encodeInput(known)]);
  expect(run).toMatchObject({ inputJson: encodeInput(known), currentVersion: '1.0.0', warnings: [] });
});

test('an input is passed on as it is given', async () => {
  const bench = new Bench();
  const json = '{ "identity" : "other", "big": 12345678901234567890 }';
  await bench.run({ configuration: { a: 'b' } }, { kind: 'GIVEN', json });
  expect(bench.given).toEqual([json]);
});

test('an input that is no object runs nothing, and neither does a host of which nothing is known', async () => {
  const bench = new Bench();
  await expect(bench.run({}, { kind: 'GIVEN', json: '[]' })).rejects.toThrow(InputError);
  const unknown: DryRunInput = { kind: 'HOST', identity: 'other' as Identity };
  await expect(bench.run({}, unknown)).rejects.toMatchObject(
    new ControlError(
      'NOT_NOW',
      'NOTHING_FETCHED',
      'the helper was not asked about other of late: give an input (slipway helper test --input FILE)',
    ),
  );
  expect(bench.given).toEqual([]);
});

test('a configuration tells the claims that the node’s token would have, signed by nobody', async () => {
  const bench = new Bench();
  const now = Math.floor(bench.clock.now() / 1000);
  const run = await bench.run({ configuration: { a: 'b', collectives: 'x,y' }, msg: 'web' });
  expect(run).toMatchObject({
    outcome: 'PROVISIONED',
    reason: '',
    message: 'the node would be configured with 2 settings and restarted: web',
  });
  expect(JSON.parse(run.serverClaimsJson)).toEqual({
    identity: 'n1.example.net',
    collectives: ['x', 'y'],
    ou: 'choria',
    purpose: 'choria_server',
    public_key: 'ab'.repeat(32),
    exp: now + 3_600,
    nbf: now,
    iat: now,
  });
});

test('the token would expire with what signs it; where nothing can sign, a run would wait', async () => {
  const bench = new Bench();
  const soon = bench.clock.now() / 1000 + 100;
  const usable = { kind: 'USABLE', issuer: { expiresAt: soon, mint: () => Promise.reject() } } as const;
  const reply = { configuration: { a: 'b' } };
  const clipped = await bench.run(reply, undefined, { signing: { current: async () => usable } });
  expect(JSON.parse(clipped.serverClaimsJson)).toMatchObject({ exp: soon, issexp: soon });
  const unusable = { kind: 'UNUSABLE', setting: 'jwt_signing_key', why: '/k: is not there' } as const;
  const waiting = await bench.run(reply, undefined, { signing: { current: async () => unusable } });
  expect(waiting.warnings).toEqual([
    'a run would wait for signing credentials: jwt_signing_key /k: is not there',
  ]);
});

test('an input without a key has claims without one, and says so', async () => {
  const run = await new Bench().run(
    { configuration: { a: 'b' } },
    { kind: 'GIVEN', json: '{"identity":"x"}' },
  );
  expect(JSON.parse(run.serverClaimsJson)).not.toHaveProperty('public_key');
  expect(run.warnings).toEqual(['the input has no ed25519_pubkey, which the server token names']);
});

test.each([
  [{ defer: true, retry_after: '5m' }, 'DEFERRED', '', /run again after 5m/],
  [{ defer: true, msg: 'not yet' }, 'DEFERRED', '', /^not yet; .* with its next sighting$/],
  [{ shutdown: true, msg: 'scrap' }, 'SHUT_DOWN', '', /shut down: scrap$/],
  [{ upgrade: '2.0.0', configuration: { a: 'b' } }, 'UPGRADED', '', /from release 1\.0\.0 to 2\.0\.0/],
  [{}, 'FAILED', 'EMPTY_CONFIGURATION', /no configuration/],
  [{ configuration: { a: 'b' }, key: 'x' }, 'FAILED', 'KEY_INVALID', /key cannot be used/],
  [{ configuration: { a: 'b' }, server_claims: { exp: 5 } }, 'FAILED', 'SERVER_CLAIMS_EXPIRED', /exp is 5/],
] as const)('%o ends %s %s', async (reply, outcome, reason, message) => {
  const run = await new Bench().run(reply);
  expect(run).toMatchObject({ outcome, reason });
  expect(run.message).toMatch(message);
});

test('an upgrade that has led nowhere three times is a loop here, too', async () => {
  const bench = new Bench();
  bench.upgradedFrom = ['1.0.0', '1.0.0', '1.0.0'];
  const reply = { upgrade: '2.0.0', configuration: { a: 'b' } };
  expect(await bench.run(reply)).toMatchObject({ outcome: 'UPGRADE_FAILED', reason: 'UPGRADE_LOOP' });
  const optional = await bench.run(reply, undefined, { upgradesOptional: true });
  expect(optional.outcome).toBe('PROVISIONED');
  expect(optional.warnings.join()).toMatch(/^upgrade: would be left out: .*1\.0\.0 again/);
});

test('a helper that fails is a run that fails', async () => {
  const run = await new Bench().run({ kind: 'FAILED', reason: 'HELPER_EXIT', message: 'exited with code 3' });
  expect(run).toMatchObject({
    outcome: 'FAILED',
    reason: 'HELPER_EXIT',
    message: 'exited with code 3',
    reply: undefined,
    serverClaimsJson: '',
    trial: { stderr: 'looked', durationMs: 12 },
  });
});

test('there is room for so many inputs that wait; the next one runs nothing and is refused', async () => {
  const bench = new Bench();
  const ends: (() => void)[] = [];
  const trials: DryRunOptions['trials'] = {
    tryOut: async () => {
      await new Promise<void>((resolve) => ends.push(resolve));
      const verdict = { kind: 'FAILED', reason: 'HELPER_EMPTY', message: 'it wrote nothing' } as const;
      return { verdict, exitCode: 0, stderr: '', durationMs: 1 };
    },
  };
  const over = { trials, room: new Room(10_000) };
  const large: DryRunInput = { kind: 'GIVEN', json: `{"x":"${'x'.repeat(6_000)}"}` };
  const first = bench.run({}, large, over);
  // Not even read: to read many of them takes its time, too.
  const broken: DryRunInput = { kind: 'GIVEN', json: 'x'.repeat(6_000) };
  await expect(bench.run({}, broken, over)).rejects.toMatchObject({ reason: 'TRIALS_LIMIT' });
  const small = bench.run({}, { kind: 'GIVEN', json: '{}' }, over);
  expect(ends).toHaveLength(2);
  for (const end of ends) end();
  await Promise.all([first, small]);
  const next = bench.run({}, large, over);
  ends.at(-1)?.();
  await next;
});
