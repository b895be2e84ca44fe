import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { Secret } from '../../../shared/secret.js';
import { verifyChallenge } from '../../../shared/trust/challenge.js';
import { AgentBench, configuration, reasonOf } from '../../../test/fakes/agent-bench.js';
import { SiteKeys } from '../../../test/fakes/site-keys.js';
import type { Agent } from '../agent/agent.js';
import type { ServedAgent } from '../agent/served-agent.js';
import { Slots } from '../slots.js';
import { NodeStore } from '../state/node-store.js';
import { disguised } from './disguise.js';
import { enabling, enablingWhenRead } from './lasting-provisioning.js';
import { type LieKind, lies } from './lie.js';
import { type PersonaName, personaOf } from './persona.js';

const provisioned = { 'plugin.choria.server.provision': 'false' };
const nonce = randomBytes(32);

let bench: AgentBench;
let honest: Agent;

beforeEach(async () => {
  bench = new AgentBench();
  honest = await bench.boot();
});

function as(name: PersonaName, ordinal = 0): ServedAgent {
  return disguised(honest, personaOf(name, ordinal));
}

function liar(kind: LieKind): ServedAgent {
  return as(
    'lying',
    lies.findIndex((lie) => lie.kind === kind),
  );
}

/** The digest of the configuration that waits for a start on the disk, and that of what was sent. */
async function committedAndSent(agent: ServedAgent): Promise<[string | undefined, string]> {
  const run = bench.newRun();
  const sent = configuration(1, provisioned);
  await agent.configure(bench.callOf(run), sent);
  const record = await agent.getRunStatus(bench.callOf(run), run.runId);
  expect(record?.stage).toBe('CONFIGURED');
  return [record?.configurationDigest, sent.digest];
}

test('honest nodes are met as they are', () => {
  for (const name of ['healthy', 'slow', 'dead', 'flapping', 'cloned', 'ageing'] as const) {
    expect(as(name)).toBe(honest);
  }
});

test('what a liar does not lie about it does as the others', async () => {
  const agent = liar('short-key');
  expect(agent.identify()).toEqual(honest.identify());
  expect(await agent.getInventory(bench.callOf(bench.newRun()))).toMatchObject({ version: '1.0' });
  const stranger = bench.callOf(bench.newRun(), { identity: 'other' });
  expect(await reasonOf(agent.generateEd25519Key(stranger, nonce))).toBe('IDENTITY_MISMATCH');
});

describe('a liar', () => {
  test('signs another challenge than that of its key', async () => {
    const run = bench.newRun();
    const { publicKey, signature } = await liar('wrong-signature').generateEd25519Key(
      bench.callOf(run),
      nonce,
    );
    const challenge = { identity: bench.identity, runId: run.runId, nonce };
    expect([publicKey.length, signature.length]).toEqual([32, 64]);
    expect(verifyChallenge(challenge, publicKey, signature)).toBe(false);
  });

  test('shows a key that is too short', async () => {
    const { publicKey } = await liar('short-key').generateEd25519Key(bench.callOf(bench.newRun()), nonce);
    expect(publicKey).toHaveLength(31);
  });

  test('shows a token of the same claims that the site did not sign', async () => {
    const keys = new SiteKeys();
    const now = Math.floor(Date.now() / 1000);
    const text = await keys.token(now);
    honest = await bench.boot(undefined, { token: new Secret(text) });
    const { token } = await liar('foreign-token').getJwt(bench.callOf(bench.newRun()));
    expect(token.reveal().split('.')[1]).toBe(text.split('.')[1]);
    await expect(keys.verifier().verify(text, now)).resolves.toBeDefined();
    await expect(keys.verifier().verify(token.reveal(), now)).rejects.toMatchObject({ name: 'TrustError' });
  });

  test('asks for a certificate in the name of another', async () => {
    const names = { country: '', locality: '', organization: '', organizationalUnit: '', province: '' };
    const subject = { commonName: bench.identity, ...names };
    const { csrPem } = await liar('foreign-request').generateCsr(bench.callOf(bench.newRun()), subject);
    const der = Buffer.from(csrPem.replaceAll(/-----.*-----/g, ''), 'base64').toString('latin1');
    expect([der.includes('somebody-else'), der.includes(bench.identity)]).toEqual([true, false]);
  });

  test('accepts a restart that never comes, and goes on as if it had not been told', async () => {
    const agent = liar('no-restart');
    const run = bench.newRun();
    await agent.configure(bench.callOf(run), configuration(1, provisioned));
    expect(await agent.restart(bench.callOf(run), 1_000)).toBe(1_000);
    expect(bench.stops).toEqual([]);
    expect(agent.identify()).toMatchObject({ provisioning: true });
    expect(await reasonOf(agent.restart(bench.callOf(run, { boot: 'another' }), 0))).toBe('REBOOTED');
  });

  const misplacing = ['wrong-digest', 'wrong-signature', 'short-key', 'foreign-request'] as const;
  test.each(misplacing)('of the kind %s commits something else than it was sent', async (kind) => {
    const [committed, sent] = await committedAndSent(liar(kind));
    expect(committed).not.toBe(sent);
    expect((await bench.onDisk()).status).toBe('COMMITTED');
  });

  test.each(['garbage', 'no-restart'] as const)('of the kind %s commits what it was sent', async (kind) => {
    const [committed, sent] = await committedAndSent(liar(kind));
    expect(committed).toBe(sent);
  });
});

describe('a node that loops', () => {
  test('refuses to restart, whatever it was configured with', async () => {
    const agent = as('looping', 0);
    const run = bench.newRun();
    await agent.configure(bench.callOf(run), configuration(1, provisioned));
    expect(await reasonOf(agent.restart(bench.callOf(run), 0))).toBe('PROVISIONING_ENABLED');
    await expect(honest.getRunStatus(bench.callOf(run), run.runId)).resolves.toMatchObject({
      configurationDigest: configuration(1).digest,
    });
  });

  test('or restarts and comes back in provisioning mode', async () => {
    const agent = as('looping', 1);
    expect(agent).toBe(honest);
    const run = bench.newRun();
    await agent.configure(bench.callOf(run), configuration(1, provisioned));
    await agent.restart(bench.callOf(run), 0);
    await honest.stop();
    const { identity, directory } = bench;
    const files = enablingWhenRead(bench.files);
    const store = new NodeStore({ identity, directory, files, disk: new Slots(1) });
    expect(await store.open(false, 0)).toMatchObject({ provisioning: true });
    expect((await bench.onDisk()).settings.get('plugin.choria.server.provision')).toBe('false');
  });

  test.each(['', '[]', '{}', 'null', '"a"'])('leaves %j for the agent to refuse', (text) => {
    expect(enabling(text)).toBe(text);
  });
});
