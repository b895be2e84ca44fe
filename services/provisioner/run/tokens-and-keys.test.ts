import { createHash, createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { Secret } from '../../../shared/secret.js';
import { dropped, refused, status } from '../../../test/fakes/fake-node-agent.js';
import { RunBench, type RunBenchOptions } from '../../../test/fakes/run-bench.js';
import { SiteKeys } from '../../../test/fakes/site-keys.js';

const site = new SiteKeys();

async function tokenBench(options: RunBenchOptions = {}) {
  const bench = new RunBench({
    ...options,
    features: { jwt: true, ...options.features },
    enrolment: { tokens: site.verifier(), ...options.enrolment },
  });
  const now = bench.clock.now() / 1000;
  bench.node.keys.jwt = await site.token(now);
  return { bench, now };
}

async function keyBench() {
  const signing = site.signing(0);
  const { bench } = await tokenBench({ features: { ed25519: true }, enrolment: { signing } });
  return bench;
}

describe('a provisioning token', () => {
  it('is fetched, verified, and its claims told to the helper without the secret', async () => {
    const { bench } = await tokenBench();
    expect((await bench.run()).outcome.kind).toBe('PROVISIONED');
    expect(bench.story).toEqual(['IDENTIFY', 'GET_JWT', 'GET_INVENTORY', 'HELPER', 'CONFIGURE', 'RESTART']);
    const claims = JSON.parse(bench.helper.asked[0]?.claimsJson ?? '');
    expect(claims).toMatchObject({ purpose: 'choria_provisioning', ou: 'choria' });
    expect(bench.helper.asked[0]?.claimsJson).not.toContain('s3cret');
  });

  it('is not fetched again while the boot lives', async () => {
    const { bench } = await tokenBench();
    bench.helper.replies({ defer: true });
    const { fetched } = await bench.run();
    await bench.run({ fetched });
    expect(bench.node.count('getJwt')).toBe(1);
    expect(bench.helper.asked[1]?.claimsJson).toBe(bench.helper.asked[0]?.claimsJson);
    bench.node.reboot();
    await bench.run({ fetched });
    expect(bench.node.count('getJwt')).toBe(2);
  });

  it('is fetched again from who shows another certificate, whatever boot it says that it is', async () => {
    const { bench } = await tokenBench();
    const onCertificate = (certificateSha256: string) => ({ node: { ...bench.sighted, certificateSha256 } });
    bench.helper.replies({ defer: true });
    const { fetched } = await bench.run(onCertificate('cc'));
    await bench.run({ ...onCertificate('cc'), fetched });
    expect(bench.node.count('getJwt')).toBe(1);
    await bench.run({ ...onCertificate('dd'), fetched });
    expect(bench.node.count('getJwt')).toBe(2);
    expect(bench.node.count('getInventory')).toBe(2);
  });

  it('is fetched again where it has expired since', async () => {
    const { bench, now } = await tokenBench();
    bench.node.keys.jwt = await site.token(now, { expiresAt: now + 30 });
    bench.helper.replies({ defer: true });
    const { fetched } = await bench.run();
    await bench.clock.advance(30_000);
    expect((await bench.run({ fetched })).outcome).toMatchObject({ reason: 'TOKEN_INVALID' });
  });

  it('is not fetched where features.jwt is off', async () => {
    const bench = new RunBench();
    await bench.run();
    expect(bench.node.count('getJwt')).toBe(0);
    expect(bench.helper.asked[0]?.claimsJson).toBeUndefined();
  });

  it('is tried three times', async () => {
    const { bench } = await tokenBench();
    const fault = { kind: 'FAIL', failure: dropped } as const;
    bench.node.fault('getJwt', fault, fault, fault);
    expect((await bench.run()).outcome).toMatchObject({ reason: 'RPC_FAILED' });
    expect(bench.node.count('getJwt')).toBe(3);
  });

  function forge(claims: object, header: object, sign: (signed: string) => string): string {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const signed = `${part(header)}.${part(claims)}`;
    return `${signed}.${sign(signed)}`;
  }
  const claims = { cht: 's3cret', chs: false, chpd: true, purpose: 'choria_provisioning' };

  const lies: [string, (now: number) => Promise<string> | string, RegExp][] = [
    ['of another site', (now) => new SiteKeys().token(now), /not signed by the key/],
    ['that has expired', (now) => site.token(now, { expiresAt: now - 1 }), /expired/],
    [
      'of nobody (alg none)',
      () => forge(claims, { alg: 'none', typ: 'JWT' }, () => ''),
      /none|signature|alg/,
    ],
    [
      'keyed with the public key (HS256)',
      () =>
        forge(claims, { alg: 'HS256', typ: 'JWT' }, (signed) =>
          createHmac('sha256', Buffer.from(site.publicKey, 'hex')).update(signed).digest('base64url'),
        ),
      /HS256|alg/,
    ],
    ['that is none', () => 'no token at all', /token/],
  ];
  it.each(lies)('%s fails the run, and is not quoted', async (_name, make, rule) => {
    const { bench, now } = await tokenBench();
    bench.node.keys.jwt = await make(now);
    const { outcome, fetched } = await bench.run();
    expect(outcome).toMatchObject({
      kind: 'FAILED',
      reason: 'TOKEN_INVALID',
      message: expect.stringMatching(rule),
    });
    expect(JSON.stringify(bench.sink.events)).not.toContain(bench.node.keys.jwt.slice(0, 40));
    expect(fetched?.token).toBeUndefined();
    expect(bench.helper.asked).toEqual([]);
    expect(bench.node.count('getJwt')).toBe(1);
  });

  it.each([
    ['another secret', ['s3cret'], new Secret('other'), /another secret/],
    ['no secret', ['s3cret'], new Secret(''), /holds no secret/],
    ['a secret where the site has none', [], new Secret('s3cret'), /set token or token_file/],
  ])('with %s fails the run', async (_name, tokens, secret, message) => {
    const { bench, now } = await tokenBench({ tokens });
    bench.node.keys.jwt = await site.token(now, { secret });
    expect((await bench.run()).outcome).toMatchObject({
      reason: 'SECRET_MISMATCH',
      message: expect.stringMatching(message),
    });
  });

  it('holds the secret that fitted, of the list', async () => {
    const { bench, now } = await tokenBench({ tokens: ['new', 'old'] });
    bench.node.secret = 'old';
    bench.node.keys.jwt = await site.token(now, { secret: new Secret('old') });
    expect((await bench.run()).outcome.kind).toBe('PROVISIONED');
  });
});

describe('a node without what a feature needs', () => {
  it.each([
    ['jwt', { jwt: true }],
    ['ed25519', { jwt: true, ed25519: true }],
    ['pki', { pki: true }],
  ] as const)('%s fails before anything is asked of it', async (feature, features) => {
    const { bench } = await tokenBench({ features: { jwt: false, ...features } });
    bench.node.features = { ...bench.node.features, [feature]: false };
    expect((await bench.run()).outcome).toMatchObject({
      reason: 'FEATURE_MISSING',
      message: expect.stringContaining(`features.${feature}`),
    });
    expect(bench.node.calls.map(({ rpc }) => rpc)).toEqual(['identify']);
  });
});

describe('an ed25519 key', () => {
  it('is made, proved, shown to the helper and gets a server token', async () => {
    const bench = await keyBench();
    expect((await bench.run()).outcome.kind).toBe('PROVISIONED');
    expect(bench.story).toEqual([
      'IDENTIFY',
      'GET_JWT',
      'GENERATE_KEY',
      'GET_INVENTORY',
      'HELPER',
      'CREDENTIALS',
      'CONFIGURE',
      'RESTART',
    ]);
    const { key } = bench.helper.asked[0] ?? {};
    expect(Buffer.from(key?.publicKey ?? []).toString('hex')).toBe(bench.node.keys.publicKey);
    expect(bench.node.committed[0]).toMatchObject({ sslDir: '/etc/node', keyPem: '' });
  });

  it('is not made again while the boot lives', async () => {
    const bench = await keyBench();
    bench.helper.replies({ defer: true });
    const { fetched } = await bench.run();
    bench.helper.replies({});
    await bench.run({ fetched });
    expect(bench.node.count('generateKey')).toBe(1);
    expect(bench.node.committed[0]?.serverJwt).not.toBe('');
  });

  it('is asked for with a nonce of its own at each of five tries', async () => {
    const bench = await keyBench();
    const nonces = new Set<string>();
    const make = bench.node.keys.generateKey.bind(bench.node.keys);
    bench.node.keys.generateKey = (identity, runId, nonce) => {
      nonces.add(Buffer.from(nonce).toString('hex'));
      return make(identity, runId, nonce);
    };
    const lost = { kind: 'LOSE_REPLY', failure: dropped } as const;
    bench.node.fault('generateKey', lost, lost, lost, lost);
    expect((await bench.run()).outcome.kind).toBe('PROVISIONED');
    expect(nonces.size).toBe(5);
    for (const nonce of nonces) expect(nonce).toHaveLength(64);
  });

  type Challenge = [identity: string, runId: string, nonce: Uint8Array];
  const others: [string, (...challenge: Challenge) => Challenge][] = [
    ['another nonce', (identity, runId) => [identity, runId, createHash('sha256').digest()]],
    ['another run', (identity, _, nonce) => [identity, 'other', nonce]],
    ['another node', (_, runId, nonce) => ['n9', runId, nonce]],
  ];
  it.each(others)('with a signature for %s fails the run', async (_name, other) => {
    const bench = await keyBench();
    const make = bench.node.keys.generateKey.bind(bench.node.keys);
    bench.node.keys.generateKey = (identity, runId, nonce) => make(...other(identity, runId, nonce));
    const { outcome, fetched } = await bench.run();
    expect(outcome).toMatchObject({ reason: 'KEY_PROOF_INVALID' });
    expect(fetched?.key).toBeUndefined();
    expect(bench.node.count('generateKey')).toBe(1);
    expect(bench.helper.asked).toEqual([]);
  });
});

describe('what was fetched', () => {
  it.each(['LOCKED', 'STALE_FENCE', 'KEY_CHANGED'])('is forgotten after %s', async (reason) => {
    const bench = await keyBench();
    const code = reason === 'KEY_CHANGED' ? 'FAILED_PRECONDITION' : 'ABORTED';
    const fault = { kind: 'FAIL', failure: status(code, { reason, retryAfterMs: 60_000 }) } as const;
    bench.node.fault('getInventory', fault, fault);
    expect((await bench.run()).fetched).toBeUndefined();
  });

  it('is fetched anew, all of it, by a run that starts over', async () => {
    const bench = await keyBench();
    bench.node.fault('configure', {
      kind: 'FAIL',
      failure: status('FAILED_PRECONDITION', { reason: 'KEY_CHANGED' }),
    });
    expect((await bench.run()).outcome.kind).toBe('PROVISIONED');
    expect(bench.node.count('getJwt')).toBe(2);
    expect(bench.node.count('generateKey')).toBe(2);
  });

  it('stays where the node cannot be reached for a while', async () => {
    const bench = await keyBench();
    const fault = { kind: 'FAIL', failure: refused } as const;
    bench.node.fault('getInventory', fault, fault, fault, fault, fault);
    const { outcome, fetched } = await bench.run();
    expect(outcome).toMatchObject({ reason: 'RPC_FAILED' });
    expect(fetched).toMatchObject({ token: {}, key: {} });
  });
});
