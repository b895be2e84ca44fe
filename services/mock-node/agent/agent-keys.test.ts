import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { Secret } from '../../../shared/secret.js';
import { verifyChallenge } from '../../../shared/trust/challenge.js';
import { proof } from '../../../shared/trust/proof.js';
import { AgentBench, configuration, reasonOf } from '../../../test/fakes/agent-bench.js';
import { agentConfiguration } from '../../../test/fakes/agent-configurations.js';
import { settle } from '../../../test/fakes/fake-clock.js';
import { NotServedError } from './refusal.js';

let bench: AgentBench;

beforeEach(() => {
  bench = new AgentBench();
});

const nonce = randomBytes(32);
const subject = {
  commonName: 'web-1',
  country: '',
  province: '',
  locality: '',
  organization: '',
  organizationalUnit: '',
};

function serverToken(publicKey: Buffer): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'EdDSA' })}.${part({ public_key: publicKey.toString('hex') })}.AA`;
}

/** A configuration that the next start comes up with, out of provisioning mode. */
function withToken(version: number, serverJwt: string) {
  return agentConfiguration({ ...configuration(version), serverJwt });
}

describe('the token', () => {
  test('comes with a key pair that every call makes anew', async () => {
    const agent = await bench.boot(undefined, { token: new Secret('the.provisioning.token') });
    const run = bench.newRun();
    const first = await agent.getJwt(bench.callOf(run));
    const second = await agent.getJwt(bench.callOf(run));
    expect(first.token.reveal()).toBe('the.provisioning.token');
    expect(first.ecdhPublic).toHaveLength(32);
    expect(second.ecdhPublic).not.toEqual(first.ecdhPublic);
    expect(agent.identify().hasToken).toBe(true);
  });

  test('is not served by a node without one, but to those who may ask', async () => {
    const agent = await bench.boot();
    await expect(agent.getJwt(bench.callOf(bench.newRun()))).rejects.toBeInstanceOf(NotServedError);
    expect(await reasonOf(agent.getJwt(bench.callOf(bench.newRun(), { identity: 'other' })))).toBe(
      'IDENTITY_MISMATCH',
    );
    expect(agent.identify().hasToken).toBe(false);
  });

  test('is asked for in vain by a caller that gave up: the key pair stays', async () => {
    const agent = await bench.boot(undefined, { token: new Secret('t') });
    const run = bench.newRun();
    const { ecdhPublic } = await agent.getJwt(bench.callOf(run));
    const gone = AbortSignal.abort(new Error('gave up'));
    await expect(agent.getJwt(bench.callOf(run, {}, gone))).rejects.toThrow('gave up');
    expect(
      await reasonOf(agent.configure(bench.callOf(run), agentConfiguration({ nodeEcdhPublic: ecdhPublic }))),
    ).toBe('done');
  });
});

test('a proof is bound to the certificate that the boot serves with', async () => {
  const certificateSha256 = 'ab'.repeat(32);
  const agent = await bench.boot('s3cret', { certificateSha256 });
  const run = bench.newRun();
  const asked = (seen: string) => {
    const { identity, challenge } = bench;
    const given = proof({ secret: 's3cret', identity, runId: run.runId, challenge, certificateSha256: seen });
    return reasonOf(agent.getInventory(bench.callOf(run, { proof: given })));
  };
  expect(await asked('')).toBe('PROOF_INVALID');
  expect(await asked('cd'.repeat(32))).toBe('PROOF_INVALID');
  expect(await asked(certificateSha256)).toBe('done');
});

describe('an ed25519 key', () => {
  test('is proven by a signature that is good for this run and nonce alone', async () => {
    const agent = await bench.boot();
    const run = bench.newRun();
    const { publicKey, signature, directory } = await agent.generateEd25519Key(bench.callOf(run), nonce);
    const { identity } = bench;
    expect(verifyChallenge({ identity, runId: run.runId, nonce }, publicKey, signature)).toBe(true);
    const { runId } = bench.newRun();
    expect(verifyChallenge({ identity, runId, nonce }, publicKey, signature)).toBe(false);
    expect(directory).toBe(bench.directory);
    const seed = await bench.files.read(`${directory}/server.seed`);
    expect(seed?.toString()).toMatch(/^[0-9a-f]{64}$/);
    expect(await bench.files.mode(`${directory}/server.seed`)).toBe(0o600);
    expect(await agent.getRunStatus(bench.callOf(run), run.runId)).toMatchObject({ stage: 'KEYED' });
    expect((await bench.onDisk()).problems).toEqual([]);
  });

  test('is another one each time, and what was made for the one before does not fit', async () => {
    const agent = await bench.boot();
    const run = bench.newRun();
    const first = await agent.generateEd25519Key(bench.callOf(run), nonce);
    const second = await agent.generateEd25519Key(bench.callOf(run), nonce);
    const given = (key: Buffer) =>
      reasonOf(agent.configure(bench.callOf(run), withToken(1, serverToken(key))));
    expect(await given(first.publicKey)).toBe('KEY_CHANGED');
    expect(await agent.getRunStatus(bench.callOf(run), run.runId)).toMatchObject({ stage: 'FAILED' });
    expect(await given(second.publicKey)).toBe('done');
  });

  test('survives boots, and its token goes with the configuration', async () => {
    const agent = await bench.boot();
    const { publicKey } = await agent.generateEd25519Key(bench.callOf(bench.newRun()), nonce);
    await agent.stop();
    const next = await bench.boot();
    const token = serverToken(publicKey);
    await next.configure(bench.callOf(bench.newRun()), withToken(1, `${token}\n`));
    await next.stop();
    const configured = await bench.boot();
    expect(configured.identify().provisioning).toBe(false);
    const written = await bench.files.read(`${bench.directory}/server.jwt`);
    expect(written?.toString()).toBe(token);
    expect(await bench.files.mode(`${bench.directory}/server.jwt`)).toBe(0o600);
    expect((await bench.onDisk()).problems).toEqual([]);
  });

  test('withdraws a configuration that was not restarted into', async () => {
    const agent = await bench.boot();
    const run = bench.newRun();
    await agent.configure(bench.callOf(run), configuration(1));
    await agent.generateEd25519Key(bench.callOf(run), nonce);
    expect(await reasonOf(agent.restart(bench.callOf(run), 0))).toBe('PROVISIONING_ENABLED');
    await agent.stop();
    const next = await bench.boot();
    expect(next.identify().provisioning).toBe(true);
    expect(await bench.onDisk()).toMatchObject({ status: 'NONE', problems: [] });
    expect(bench.commits).toBe(1);
  });

  test('is not made where the token before it cannot be removed', async () => {
    const agent = await bench.boot();
    const { publicKey } = await agent.generateEd25519Key(bench.callOf(bench.newRun()), nonce);
    const still = withToken(1, serverToken(publicKey));
    await agent.configure(bench.callOf(bench.newRun()), {
      ...still,
      configurationJson: '{"plugin.choria.server.provision":"true"}',
    });
    await agent.stop();
    const next = await bench.boot();
    const seed = await bench.files.read(`${bench.directory}/server.seed`);
    bench.files.beforeRemove = () => Promise.reject(new Error('not permitted'));
    const run = bench.newRun();
    await expect(next.generateEd25519Key(bench.callOf(run), nonce)).rejects.toThrow('not permitted');
    expect(await bench.files.read(`${bench.directory}/server.seed`)).toEqual(seed);
    expect(await next.getRunStatus(bench.callOf(run), run.runId)).toMatchObject({ stage: 'FAILED' });
    bench.files.beforeRemove = async () => {};
    await next.generateEd25519Key(bench.callOf(run), nonce);
    expect(await bench.files.read(`${bench.directory}/server.jwt`)).toBeUndefined();
  });

  test('is not made for a caller that gave up', async () => {
    const agent = await bench.boot();
    const run = bench.newRun();
    const release = bench.holdWrites(/staging-\d+\/0$/);
    const first = agent.configure(bench.callOf(run), configuration(1));
    const giveUp = new AbortController();
    const second = agent.generateEd25519Key(bench.callOf(run, {}, giveUp.signal), nonce);
    const failed = expect(second).rejects.toThrow('gave up');
    await settle();
    giveUp.abort(new Error('gave up'));
    await failed;
    release();
    await first;
    expect(await bench.onDisk()).toMatchObject({ status: 'COMMITTED' });
    expect(await bench.files.read(`${bench.directory}/server.seed`)).toBeUndefined();
  });
});

describe('a certificate signing request', () => {
  test('comes with its key in the folder of the node', async () => {
    const agent = await bench.boot();
    const run = bench.newRun();
    const { csrPem, sslDirectory } = await agent.generateCsr(bench.callOf(run), subject);
    expect(sslDirectory).toBe(`${bench.directory}/ssl`);
    expect((await bench.files.read(`${sslDirectory}/csr.pem`))?.toString()).toBe(csrPem);
    expect(await bench.files.mode(`${sslDirectory}/csr.pem`)).toBe(0o644);
    const key = await bench.files.read(`${sslDirectory}/private.pem`);
    expect(key?.toString()).toContain('BEGIN RSA PRIVATE KEY');
    expect(await bench.files.mode(`${sslDirectory}/private.pem`)).toBe(0o600);
    expect(await agent.getRunStatus(bench.callOf(run), run.runId)).toMatchObject({ stage: 'KEYED' });
    expect((await bench.onDisk()).problems).toEqual([]);
  });

  test('has no effect for a caller that gave up while its key was made', async () => {
    const giveUp = new AbortController();
    const agent = await bench.boot(undefined, {
      newCsr: async () => {
        giveUp.abort(new Error('gave up'));
        return { csrPem: 'csr', publicKeyPem: 'public', privateKeyPem: 'private' };
      },
    });
    const run = bench.newRun();
    await agent.configure(bench.callOf(run), configuration(1));
    const asked = agent.generateCsr(bench.callOf(run, {}, giveUp.signal), subject);
    await expect(asked).rejects.toThrow('gave up');
    expect(await bench.onDisk()).toMatchObject({ status: 'COMMITTED', stage: 'CONFIGURED' });
    expect(await bench.files.list(`${bench.directory}/ssl`)).toEqual([]);
  });

  test('whose turn does not come in time leaves no trace', async () => {
    const giveUp = new AbortController();
    const agent = await bench.boot(undefined, {
      newCsr: (_subject, signal) => {
        giveUp.abort(new Error('gave up'));
        return Promise.reject(signal.reason);
      },
    });
    const run = bench.newRun();
    await expect(agent.generateCsr(bench.callOf(run, {}, giveUp.signal), subject)).rejects.toThrow('gave up');
    expect(await agent.getRunStatus(bench.callOf(run), run.runId)).toBeUndefined();
  });
});

test('settings that do not say are for provisioning where the token says so', async () => {
  const agent = await bench.boot(undefined, { provisioningByDefault: true });
  const run = bench.newRun();
  await agent.configure(bench.callOf(run), configuration(1));
  expect(await reasonOf(agent.restart(bench.callOf(run), 0))).toBe('PROVISIONING_ENABLED');
  await agent.configure(bench.callOf(run), configuration(2, { 'plugin.choria.server.provision': 'false' }));
  expect(await reasonOf(agent.restart(bench.callOf(run), 0))).toBe('done');
});

test('what no node would take is told before what this one does not take any more', async () => {
  const agent = await bench.boot();
  const changed = { nodeEcdhPublic: new Uint8Array(32) };
  const asked = (changes: Parameters<typeof agentConfiguration>[0]) =>
    reasonOf(agent.configure(bench.callOf(bench.newRun()), agentConfiguration({ ...changed, ...changes })));
  expect(await asked({})).toBe('KEY_CHANGED');
  expect(await asked({ certificatePem: 'no certificate' })).toBe('ARGUMENT_INVALID');
  expect(await asked({ serverJwt: 'no token' })).toBe('ARGUMENT_INVALID');
});
