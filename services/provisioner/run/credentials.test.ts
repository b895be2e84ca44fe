import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { Secret } from '../../../shared/secret.js';
import { decryptKey, sharedSecret } from '../../../shared/trust/key-transfer.js';
import { createServerTokenIssuer, verifyServerToken } from '../../../shared/trust/server-token.js';
import { settle } from '../../../test/fakes/fake-clock.js';
import { helperReply } from '../../../test/fakes/fake-helper.js';
import { status, tooLate } from '../../../test/fakes/fake-node-agent.js';
import { RunBench, type RunBenchOptions } from '../../../test/fakes/run-bench.js';
import { SiteKeys } from '../../../test/fakes/site-keys.js';
import type { RunResult } from './run.js';

const site = new SiteKeys();
const pkcs1 = new Secret(
  generateKeyPairSync('rsa', { modulusLength: 2048 })
    .privateKey.export({ type: 'pkcs1', format: 'pem' })
    .toString(),
);

async function startBench(options: RunBenchOptions = {}) {
  const signing = site.signing(0);
  const bench = new RunBench({
    features: { jwt: true, ed25519: true },
    enrolment: { tokens: site.verifier(), signing },
    ...options,
  });
  bench.node.keys.jwt = await site.token(bench.clock.now() / 1000);
  return { bench, signing };
}

function payloadOf(token: string): { readonly exp: number; readonly iat: number } {
  const [, payload = ''] = token.split('.');
  return JSON.parse(Buffer.from(payload, 'base64url').toString());
}

describe('a server token', () => {
  it('says what the helper wants, for the key that the node made, and is signed by the site', async () => {
    const { bench } = await startBench();
    bench.helper.replies({
      serverClaims: { ou: 'acme', exp: 3600, collectives: ['a'], permissions: { streams: true } },
    });
    expect((await bench.run()).outcome.kind).toBe('PROVISIONED');
    const now = bench.clock.now() / 1000;
    const token = bench.node.committed[0]?.serverJwt ?? '';
    expect(await verifyServerToken(token, site.verificationKey, now)).toMatchObject({
      identity: bench.node.identity,
      publicKey: bench.node.keys.publicKey,
      ou: 'acme',
      collectives: ['a'],
      permissions: { streams: true, submission: false },
    });
    const { exp, iat } = payloadOf(token);
    expect(exp - iat).toBe(3600);
  });

  it('is minted once in a pass, whatever the number of tries', async () => {
    const { bench, signing } = await startBench();
    bench.node.fault(
      'configure',
      { kind: 'FAIL', failure: tooLate },
      { kind: 'LOSE_REPLY', failure: tooLate },
    );
    expect((await bench.run()).outcome.kind).toBe('PROVISIONED');
    expect(bench.node.count('configure')).toBe(2);
    expect(signing.asked).toBe(1);
  });

  it('that would be of no use fails the run: nothing is sent', async () => {
    const { bench } = await startBench();
    bench.helper.replies({ serverClaims: { exp: 59 } });
    expect((await bench.run()).outcome).toMatchObject({
      reason: 'SERVER_CLAIMS_EXPIRED',
      message: expect.stringContaining('server_claims.exp'),
    });
    expect(bench.node.count('configure')).toBe(0);
    expect(bench.story.at(-1)).toBe('CREDENTIALS SERVER_CLAIMS_EXPIRED');
  });

  it('that cannot be signed, though its credentials are there, fails the run', async () => {
    const { bench, signing } = await startBench();
    const mint = () => Promise.reject(new Error('the key does not sign'));
    signing.state = { kind: 'USABLE', issuer: { expiresAt: undefined, mint } };
    expect((await bench.run()).outcome).toMatchObject({
      reason: 'SIGNING_FAILED',
      message: 'the key does not sign',
    });
    expect(bench.faults).toEqual([]);
  });

  it('is not minted where features.ed25519 is off, nor for a node that is shut down', async () => {
    const { bench, signing } = await startBench();
    bench.helper.replies({ shutdown: true, msg: 'retired' });
    expect((await bench.run()).outcome.kind).toBe('SHUT_DOWN');
    expect(signing.asked).toBe(0);
    const plain = new RunBench();
    await plain.run();
    expect(plain.node.committed[0]).toMatchObject({ serverJwt: '', sslDir: '' });
  });
});

describe('a run that nothing signs for', () => {
  const why = '/etc/key: cannot be read: ENOENT';

  async function waitingRun(options: RunBenchOptions = {}) {
    const { bench, signing } = await startBench(options);
    signing.state = { kind: 'UNUSABLE', setting: 'jwt_signing_key', why };
    const run = bench.start();
    let result: RunResult | undefined;
    void run.finished.then((ended) => {
      result = ended;
    });
    while (signing.asked === 0) await settle();
    await bench.clock.advance(10_000);
    return { bench, signing, run, ended: () => result };
  }

  it('waits, asks about every second, and says once why', async () => {
    const { bench, signing, ended } = await waitingRun();
    expect(ended()).toBeUndefined();
    expect(signing.asked).toBeGreaterThan(8);
    expect(signing.asked).toBeLessThan(13);
    expect(bench.infos).toEqual([`waits for signing credentials: jwt_signing_key ${why}`]);
  });

  it('goes on when something does, with a token of that moment', async () => {
    const { bench, signing, run } = await waitingRun();
    bench.helper.replies({});
    const issuer = createServerTokenIssuer(site.seed, undefined, bench.clock.now() / 1000);
    signing.state = { kind: 'USABLE', issuer };
    const resumedAt = bench.clock.now() / 1000;
    expect((await bench.finish(run)).outcome.kind).toBe('PROVISIONED');
    const { exp, iat } = payloadOf(bench.node.committed[0]?.serverJwt ?? '');
    expect(iat).toBeGreaterThanOrEqual(Math.floor(resumedAt));
    expect(exp - iat).toBe(365 * 24 * 3600);
  });

  it('does not wait at the cost of its run_timeout', async () => {
    const { bench, signing, run, ended } = await waitingRun({
      runTimeoutMs: 60_000,
      features: { jwt: true, ed25519: true },
    });
    await bench.clock.advance(3_600_000);
    expect(ended()).toBeUndefined();
    signing.state = site.signing(0).state;
    expect((await bench.finish(run)).outcome.kind).toBe('PROVISIONED');
  });

  it.each(['PAUSED', 'STOPPING', 'RELEASED'] as const)(
    'ends at once when it is interrupted: %s',
    async (cause) => {
      const { bench, run, ended } = await waitingRun();
      run.interrupt(cause);
      await settle();
      expect(ended()?.outcome).toEqual({ kind: 'CANCELLED', cause });
      expect(ended()?.fetched).toMatchObject({ token: {}, key: {} });
      expect(bench.node.openChannels).toBe(0);
    },
  );

  it('ends when another boot of its node is sighted', async () => {
    const { run, ended } = await waitingRun();
    run.interrupt('SUPERSEDED');
    await settle();
    expect(ended()?.outcome.kind).toBe('SUPERSEDED');
  });
});

it('a run ends when it is interrupted also while a disk does not answer', async () => {
  let asked = false;
  const current = () => {
    asked = true;
    return new Promise<never>(() => {});
  };
  const { bench } = await startBench({
    enrolment: { tokens: site.verifier(), signing: { current } },
  });
  const run = bench.start();
  while (!asked) await settle();
  run.interrupt('STOPPING');
  expect((await bench.finish(run)).outcome).toEqual({ kind: 'CANCELLED', cause: 'STOPPING' });
});

describe('a key from the helper', () => {
  it('is encrypted so that the node can read it, with both public keys beside it', async () => {
    const { bench } = await startBench({ features: { jwt: true } });
    bench.helper.replies({ key: pkcs1, certificate: 'CERT', ssldir: '/ssl' });
    expect((await bench.run()).outcome.kind).toBe('PROVISIONED');
    const [sent] = bench.node.committed;
    const { exchange } = bench.node.keys;
    if (sent === undefined || exchange === undefined) throw new Error('nothing was sent');
    expect(sent.keyPem).toMatch(/^-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED/);
    const secret = sharedSecret(exchange.privateKey, sent.provisionerEcdhPublic);
    expect(decryptKey(sent.keyPem, secret).reveal()).toBe(pkcs1.reveal());
    expect(sent).toMatchObject({ sslDir: '/ssl', serverJwt: '' });
  });

  it('is encrypted once in a pass, and anew in another', async () => {
    const { bench } = await startBench({ features: { jwt: true } });
    bench.helper.replies({ key: pkcs1 });
    bench.node.fault(
      'configure',
      { kind: 'FAIL', failure: tooLate },
      { kind: 'FAIL', failure: status('FAILED_PRECONDITION', { reason: 'KEY_CHANGED' }) },
    );
    expect((await bench.run()).outcome.kind).toBe('PROVISIONED');
    expect(bench.node.count('getJwt')).toBe(2);
    expect(bench.node.committed).toHaveLength(1);
  });

  it('is not sent by a run that started over, where the helper gives none then', async () => {
    const { bench } = await startBench({ features: { jwt: true } });
    bench.helper.replies({ key: pkcs1 });
    bench.node.fault('configure', {
      kind: 'FAIL',
      failure: status('FAILED_PRECONDITION', { reason: 'KEY_CHANGED' }),
    });
    const run = bench.start();
    bench.node.onCall = ({ rpc }) => {
      if (rpc === 'configure') bench.helper.replies({});
    };
    expect((await bench.finish(run)).outcome.kind).toBe('PROVISIONED');
    expect(bench.node.committed[0]?.keyPem).toBe('');
  });

  it.each([
    ['that is no PEM', new Secret('s3cret stuff that is no key, and much too long'), /PEM/],
    [
      'in another form',
      new Secret(createPrivateKey(pkcs1.reveal()).export({ type: 'pkcs8', format: 'pem' }).toString()),
      /openssl rsa -traditional/,
    ],
  ])('%s fails the run, and is not quoted', async (_name, key, message) => {
    const { bench } = await startBench({ features: { jwt: true } });
    bench.helper.replies({ key });
    const { outcome } = await bench.run();
    expect(outcome).toMatchObject({ reason: 'KEY_INVALID', message: expect.stringMatching(message) });
    expect(JSON.stringify(outcome)).not.toContain(key.reveal().slice(30, 60));
    expect(bench.node.count('configure')).toBe(0);
  });
});

describe('a certificate signing request', () => {
  it('is made in the name of the node in every run, and shown to the helper with its key', async () => {
    const bench = new RunBench({ features: { pki: true } });
    bench.helper.replies({ defer: true });
    const { fetched } = await bench.run();
    bench.helper.replies({ certificate: 'CERT', ca: 'CA', ssldir: '/of/the/helper' });
    expect((await bench.run({ fetched })).outcome.kind).toBe('PROVISIONED');
    expect(bench.node.count('generateCsr')).toBe(2);
    expect(bench.helper.asked[1]?.csr).toMatchObject({
      csrPem: expect.stringContaining('BEGIN CERTIFICATE REQUEST'),
      publicKeyPem: expect.stringContaining('BEGIN PUBLIC KEY'),
      sslDir: '/etc/node/ssl',
    });
    expect(bench.node.committed[0]).toMatchObject({ sslDir: '/etc/node/ssl', certificatePem: 'CERT' });
  });

  it('is asked for once', async () => {
    const bench = new RunBench({ features: { pki: true } });
    bench.node.fault('generateCsr', { kind: 'FAIL', failure: tooLate });
    expect((await bench.run()).outcome).toMatchObject({ reason: 'RPC_FAILED' });
    expect(bench.node.count('generateCsr')).toBe(1);
  });

  it('in another name fails the run', async () => {
    const bench = new RunBench({ features: { pki: true } });
    const make = bench.node.keys.generateCsr.bind(bench.node.keys);
    bench.node.keys.generateCsr = () => make('n9.example.net');
    expect((await bench.run()).outcome).toMatchObject({
      reason: 'CSR_INVALID',
      message: expect.stringContaining('n9.example.net'),
    });
    expect(bench.helper.asked).toEqual([]);
  });

  it('that is none fails the run', async () => {
    const bench = new RunBench({ features: { pki: true } });
    bench.node.keys.generateCsr = async () => ({ csrPem: 'garbage', publicKeyPem: '', sslDir: '' });
    expect((await bench.run()).outcome).toMatchObject({ reason: 'CSR_INVALID' });
  });

  it('in a name that is denied fails the run', async () => {
    const bench = new RunBench({
      features: { pki: true },
      enrolment: { denyList: { match: (name) => (name.startsWith('n1.') ? '^n1\\.' : undefined) } },
    });
    expect((await bench.run()).outcome).toMatchObject({
      reason: 'CSR_DENIED',
      message: expect.stringContaining('^n1'),
    });
  });

  it('leaves the directory to the helper where the node names none', async () => {
    const bench = new RunBench({ features: { pki: true } });
    bench.node.keys.sslDir = '';
    bench.helper.answer = async () => helperReply({ ssldir: '/of/the/helper' });
    await bench.run();
    expect(bench.node.committed[0]?.sslDir).toBe('/of/the/helper');
  });
});
