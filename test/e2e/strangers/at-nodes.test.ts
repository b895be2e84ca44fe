// Strangers who answer where a node is said to be: at a static target, in the place of a node that was registered,
// and in the middle between a node and the provisioner.

import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { freePorts } from '../../../cli/launch/ports.js';
import type { Stack } from '../../../cli/launch/stack.js';
import { SiteKeys } from '../../fakes/site-keys.js';
import { launchNode } from '../lone-node.js';
import { NodeFiles } from '../node-files.js';
import { prepareStack, testHelper } from '../workspace.js';
import { type Answer, CalledAgent, introduction, obedient, startAgent } from './agents.js';
import { linesOf, untilRunEnded } from './log.js';
import { fleetToken, newSigner, Onlooker } from './reports.js';
import { agentPaths, type HeardCall, methodOf, StrangersServer } from './servers.js';

const helper = testHelper('stamped.sh');

/** Two nodes that report to nobody: at their addresses they answer whoever calls. */
const [wanted, other] = ['node-00001.swarm.local', 'node-00002.swarm.local'] as const;

const strangers = ['middle', 'stray', 'forger', 'borrower', 'holder'] as const;

test('fake agents at static targets see neither secret nor token, and get nowhere with what they see', async () => {
  const ports = await freePorts(strangers);
  const stack = await prepareStack({
    nodes: 2,
    tls: 'required',
    helper,
    swarm: ['--discovery', '127.0.0.1:1'],
    discovery: {
      targets: strangers.map((stranger) => `127.0.0.1:${ports[stranger]}`),
      probe_timeout: '10s',
    },
    provisioner: { identify_timeout: '20s' },
  });
  await stack.start('mock-node');
  const wantedAgent = await CalledAgent.at(`127.1.0.1:${stack.ports.swarm}`);
  const otherAgent = await CalledAgent.at(`127.1.0.2:${stack.ports.swarm}`);
  const token = fleetToken(stack);
  const secret = secretOf(stack);
  const self = (name: string) => introduction(`${name}.example.net`, randomUUID());
  const agentOf = async (name: (typeof strangers)[number], answers: ReturnType<typeof obedient>) =>
    startAgent({ host: '127.0.0.1', port: ports[name] }, await newSigner(), answers);

  // He passes everything on to the node that he is taken for.
  const middle = await StrangersServer.start(
    { host: '127.0.0.1', port: ports.middle },
    await newSigner(),
    agentPaths,
    (call) => wantedAgent.passOn(call),
  );
  // He has no token, and wants that of another node for his own.
  const atOther = async () => {
    const { identity, boot_id } = await otherAgent.identify();
    return { 'slipway-identity': String(identity), 'slipway-boot': String(boot_id) };
  };
  const stray = await StrangersServer.start(
    { host: '127.0.0.1', port: ports.stray },
    await newSigner(),
    agentPaths,
    async (call) => otherAgent.passOn(call, await atOther()),
  );
  const forged = await new SiteKeys().token(Math.floor(Date.now() / 1000));
  const forger = await agentOf('forger', obedient(self('forger'), forged));
  // He has the secret, and so gets another node to answer for him.
  const borrows: Answer = async (request, { path, metadata }) => {
    const caller = await otherAgent.callerKnowing(secret, metadata['slipway-run'] ?? '');
    return otherAgent.call(methodOf(path), request, caller);
  };
  const borrower = await agentOf('borrower', {
    ...obedient(self('borrower'), token),
    GetJwt: borrows,
    GenerateEd25519Key: borrows,
  });
  // And he does what every node does.
  const holder = await agentOf('holder', obedient(self('holder'), token));
  await stack.start('discovery');
  await stack.start('provisioner');

  expect(await untilRunEnded(stack, wanted)).toMatchObject({ outcome: 'FAILED', reason: 'PROOF_INVALID' });
  expect(await untilRunEnded(stack, other)).toMatchObject({ outcome: 'FAILED', reason: 'PROOF_INVALID' });
  expect(await untilRunEnded(stack, 'forger.example.net')).toMatchObject({ reason: 'TOKEN_INVALID' });
  expect(await untilRunEnded(stack, 'borrower.example.net')).toMatchObject({ reason: 'KEY_PROOF_INVALID' });
  expect(await untilRunEnded(stack, 'holder.example.net')).toMatchObject({ outcome: 'PROVISIONED' });

  for (const { heard } of [middle, stray, forger, borrower, holder]) {
    expect(heard).toMatch(/"slipway-proof":"[0-9a-f]{64}"/);
    for (const kept of [secret, ...token.split('.').slice(1)]) {
      expect(heard).not.toContain(kept);
      expect(heard).not.toContain(Buffer.from(kept).toString('hex'));
      expect(heard).not.toContain(Buffer.from(kept).toString('base64url'));
    }
  }
  await provesNothing(wantedAgent, called(middle, 'GetJwt'));
  await configuresNobody(wantedAgent, called(holder, 'Configure'), secret);
  for (const name of [wanted, other]) {
    const files = new NodeFiles(stack, name);
    expect([files.has('server.conf'), files.has('server.jwt')]).toEqual([false, false]);
  }
  expect(await wantedAgent.identify()).toMatchObject({ identity: wanted, provisioning: true });
});

test('who takes the place of a registered node, or its connections, hears not even a greeting', async () => {
  const [replaced, between] = ['replaced.example.net', 'between.example.net'] as const;
  const ports = await freePorts([replaced, between]);
  const stack = await prepareStack({
    nodes: 1,
    tls: 'required',
    helper,
    provisioner: { identify_timeout: '20s' },
  });
  await stack.start('discovery');
  const discovery = `127.0.0.1:${stack.ports.nodes}`;
  const [first] = await Promise.all([
    launchNode(stack, { identity: replaced, port: ports[replaced], discovery }),
    // Its address is where the man in the middle is: he ends the encryption and begins it anew.
    launchNode(stack, {
      identity: between,
      port: ports[between],
      discovery,
      flags: ['--advertise-host', '127.0.0.81'],
    }),
  ]);
  const onlooker = new Onlooker(stack);
  await expect.poll(async () => (await onlooker.nodes()).size, { timeout: 30_000 }).toBe(2);
  const self = await (await CalledAgent.at(`127.0.0.1:${ports[replaced]}`)).identify();
  await first.end('SIGKILL');
  const fake = await startAgent(
    { host: '127.0.0.1', port: ports[replaced] },
    await newSigner(),
    obedient(self, fleetToken(stack)),
  );
  const behind = await CalledAgent.at(`127.0.0.1:${ports[between]}`);
  const proxy = await StrangersServer.start(
    { host: '127.0.0.81', port: ports[between] },
    await newSigner(),
    agentPaths,
    (call) => behind.passOn(call),
  );
  await stack.start('provisioner');

  for (const [identity, stranger] of [
    [replaced, fake],
    [between, proxy],
  ] as const) {
    expect(await untilRunEnded(stack, identity)).toMatchObject({ outcome: 'SUPERSEDED' });
    expect(stranger.connections).toBeGreaterThan(0);
    expect(stranger.calls).toEqual([]);
    expect(linesOf(stack.logFile('provisioner'))).toContainEqual(
      expect.objectContaining({
        identity,
        step: 'IDENTIFY',
        message: expect.stringContaining('another certificate than the pinned one'),
      }),
    );
  }
  expect(await behind.identify()).toMatchObject({ identity: between, provisioning: true });
});

/** What shows that a provisioner knows the secret, to somebody else's certificate, shows it to no other agent. */
async function provesNothing(agent: CalledAgent, overheard: HeardCall): Promise<void> {
  for (const path of agentPaths.filter((each) => !each.endsWith('/Identify'))) {
    await expect(agent.passOn({ ...overheard, path })).rejects.toMatchObject({ reason: 'PROOF_INVALID' });
  }
}

/** The configuration of one node is good for no other, also with a proof of one's own. */
async function configuresNobody(agent: CalledAgent, overheard: HeardCall, secret: string): Promise<void> {
  await expect(agent.passOn(overheard)).rejects.toMatchObject({ reason: 'IDENTITY_MISMATCH' });
  const knowing = await agent.callerKnowing(secret, overheard.metadata['slipway-run'] ?? '');
  const { 'slipway-proof': _, ...addressed } = knowing;
  await expect(agent.passOn(overheard, addressed)).rejects.toMatchObject({ reason: 'PROOF_INVALID' });
  await expect(agent.passOn(overheard, knowing)).rejects.toMatchObject({ reason: 'KEY_CHANGED' });
}

function called(stranger: StrangersServer, method: string): HeardCall {
  const call = stranger.calls.find(({ path }) => path.endsWith(`/${method}`));
  if (call === undefined) throw new Error(`${method} was not called, but ${stranger.methods}`);
  return call;
}

function secretOf(stack: Stack): string {
  return readFileSync(stack.trust?.secret ?? '', 'utf8').trim();
}
