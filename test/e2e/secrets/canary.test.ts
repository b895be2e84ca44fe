// Secrets are in no log, event, metric, error message, helper argument or environment, and in no helper's input
// (design, section 8). Here every secret of a site can be recognised, in whole or in part and in any usual encoding
// (marks.ts), everything is logged, a good deal goes wrong, and all that the system says is looked through.
//
// What may hold secrets is not looked through: the files that are there for them, the environment and the flags that a
// test itself gives to a service, and what a helper answers. What a helper writes to standard error is the site's own
// and is logged as it is; here there is no secret in it.

import { X509Certificate } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { freePorts } from '../../../cli/launch/ports.js';
import { quoteWord } from '../../../cli/launch/quote.js';
import type { Stack } from '../../../cli/launch/stack.js';
import { until } from '../../../cli/launch/until.js';
import { callUnary } from '../../../shared/grpc/call.js';
import { certificateSha256 } from '../../../shared/trust/report-envelope.js';
import { makeCertificate } from '../../fakes/certificates.js';
import { FakeNodes } from '../../fakes/fake-nodes.js';
import { startAnotherSwarm } from '../another-swarm.js';
import { LogLines } from '../log-lines.js';
import { filesOfNodes } from '../node-files.js';
import { connectDiscovery, listNodes, NodeWatch } from '../node-watch.js';
import { processesWith } from '../processes.js';
import { RotatingIssuer } from '../rotating-issuer.js';
import { RotatingTrust, tlsPathsIn } from '../rotating-trust.js';
import { scratchFolder } from '../scratch-folder.js';
import { prepareStack, testHelper } from '../workspace.js';
import { configureInVain, reportInVain } from './canary-callers.js';
import { CanarySecrets, pemAround } from './canary-secrets.js';
import { findMarks, type Source } from './marks.js';

const patienceMs = 180_000;
const debug = { loglevel: 'debug' };
const services = ['discovery', 'provisioner', 'mock-node'] as const;

/** What is in all files of a folder, the event log's among them. */
function readAll(folder: string): Source[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name, parentPath }) => ({ name, content: readFileSync(join(parentPath, name)) }));
}

/** Gives all processes that are started from now on these variables. */
function setEnvironment(variables: Readonly<Record<string, string>>): void {
  Object.assign(process.env, variables);
  onTestFinished(() => {
    for (const name of Object.keys(variables)) delete process.env[name];
  });
}

/** What signs and what verifies is broken for a while, each file by one that holds a secret. */
async function breakFiles(
  stack: Stack,
  issuer: RotatingIssuer,
  secrets: CanarySecrets,
  startNodes: () => Promise<unknown>,
): Promise<void> {
  const trust = new RotatingTrust(stack);
  const [discovery, provisioner] = [
    new LogLines(stack.logFile('discovery')),
    new LogLines(stack.logFile('provisioner')),
  ];
  const { jwt_signing_key: key, jwt_signing_token: token } = issuer.paths;
  const tls = trust.tlsPaths('provisioner');
  const good = new Map(
    [key, token, trust.verificationKey, tls.cert, tls.key].map((path) => [path, readFileSync(path, 'utf8')]),
  );
  const restore = (path: string) => writeFileSync(path, good.get(path) ?? '');
  const { broken } = secrets.texts;

  await provisioner.untilSaid('the TLS files have changed and cannot be used', () => {
    writeFileSync(tls.cert, readFileSync(trust.tlsPaths('operator').key));
    writeFileSync(tls.key, pemAround(broken.text));
  });
  restore(tls.cert);
  restore(tls.key);
  writeFileSync(trust.verificationKey, secrets.signingKeyPem);
  writeFileSync(key, broken.text);
  await discovery.untilSaid('is no key to verify with', () =>
    provisioner.untilSaid('server tokens cannot be signed', startNodes),
  );
  restore(trust.verificationKey);
  await provisioner.untilSaid('server tokens cannot be signed', () => {
    restore(key);
    writeFileSync(token, `${broken.text}.${broken.text}.${broken.text}`);
  });
  await provisioner.untilSaid('server tokens can be signed again', () => restore(token));
}

test('no secret of a site whose nodes are provisioned, or are not, is told anywhere', {
  timeout: patienceMs + 60_000,
}, async () => {
  const folder = scratchFolder();
  const issuer = new RotatingIssuer(folder);
  const fakes = await FakeNodes.start(await makeCertificate({ name: 'fakes' }));
  onTestFinished(() => fakes.stop());
  const [liar, garbled] = [fakes.add('liar.example.net'), fakes.add('garbled.example.net')];
  const ports = await freePorts(['expired', 'foreign']);
  const stack = await prepareStack({
    nodes: 18,
    tls: 'required',
    features: { ed25519: true },
    helper: `${testHelper('recording.sh')} ${quoteWord(folder)}`,
    discovery: {
      ...debug,
      interval: '10m',
      targets: [
        ...[liar, garbled].map((node) => fakes.addressOf(node)),
        ...Object.values(ports).map((port) => `127.0.0.1:${port}`),
      ],
    },
    provisioner: {
      ...debug,
      ...issuer.paths,
      token_file: undefined,
      interval: '10m',
      identify_timeout: '30s',
      rpc_timeout: '30s',
      helper_timeout: '5s',
    },
    swarm: ['--loglevel', 'debug'],
  });
  if (stack.trust === undefined) throw new Error('the stack trusts nothing');
  const secrets = new CanarySecrets(stack.trust, issuer);
  const { newest, older, strange, broken, setting, password } = secrets.texts;
  const tokens = `${newest.text},${older.text}`;
  setEnvironment({ SLIPWAY_TOKEN: tokens, GRPC_TRACE: 'all', GRPC_VERBOSITY: 'DEBUG' });
  const reasons = await secrets.layOutAnswers(folder);
  const caPem = new RotatingTrust(stack).authorities;
  const caSha256 = certificateSha256(new X509Certificate(caPem).raw);
  const tokenFile = await secrets.makeToken('provisioning.jwt', { cht: newest, caSha256 });
  const tokenFiles = {
    second: await secrets.makeToken('second.jwt', { cht: older, caSha256 }),
    stranger: await secrets.makeToken('stranger.jwt', { cht: strange, caSha256 }),
    expired: await secrets.makeToken('expired.jwt', { cht: newest, caSha256, expiresAt: 1_500_000_000 }),
    foreign: await secrets.makeForeignToken('foreign.jwt'),
  };
  liar.keys.jwt = readFileSync(tokenFiles.stranger, 'utf8');
  const oddClaims = { cht: { text: strange.text }, chpwd: [password.text], purpose: 'choria_provisioning' };
  garbled.keys.jwt = readFileSync(await secrets.makeOddToken('odd.jwt', oddClaims), 'utf8');

  await stack.start('discovery');
  await stack.start('provisioner');
  const certificates = stack.trust.certificates;
  const discovery = await connectDiscovery(stack, tlsPathsIn(certificates, 'operator'));
  const watch = await NodeWatch.open(discovery);
  await breakFiles(stack, issuer, secrets, () => stack.start('mock-node'));
  const swarms = await Promise.all(
    Object.entries(tokenFiles).map(([name, path]) =>
      startAnotherSwarm(stack, {
        name,
        nodes: 1,
        ...(name in ports && { port: ports[name as keyof typeof ports] }),
        flags: ['--jwt-file', path, '--loglevel', 'debug', '--ca', tlsPathsIn(certificates, 'viewer').ca],
      }),
    ),
  );
  await Promise.all(swarms.map(({ logFile }) => new LogLines(logFile).said('all nodes are up')));
  await callUnary(discovery.discover.bind(discovery), {}, { timeoutMs: 10_000 });

  // The stranger; who has expired, who is foreign, who is garbled; and the liar.
  const expected = { ...reasons, PROOF_INVALID: 1, TOKEN_INVALID: 3, SECRET_MISMATCH: 1 };
  await until(
    async () => {
      const samples = await stack.metrics('provisioner');
      const failed = samples?.sumBy('reason', 'slipway_provisioner_runs_total', { outcome: 'FAILED' });
      const confirmed = samples?.sum('slipway_provisioner_confirmed_total') ?? 0;
      return (
        confirmed >= 4 &&
        Object.entries(expected).every(([reason, runs]) => (failed?.get(reason) ?? 0) >= runs)
      );
    },
    { what: `runs fail in every way in ${stack.directory}`, timeoutMs: patienceMs },
  );

  const { nodes } = await listNodes(discovery);
  const [waiting] = nodes.filter(({ identity }) => identity.startsWith('node-'));
  if (waiting === undefined) throw new Error('no node waits');
  const told = [
    await reportInVain(stack, caPem, readFileSync(tokenFiles.expired, 'utf8')),
    await reportInVain(stack, caPem, readFileSync(tokenFiles.foreign, 'utf8')),
    await reportInVain(stack, caPem, garbled.keys.jwt),
    await reportInVain(stack, caPem, broken.text),
    await configureInVain(waiting, broken.text, setting.text),
  ];
  for (const node of filesOfNodes(stack)) {
    if (node.has('server.jwt'))
      secrets.addNode(node.identity, node.read('server.seed'), node.read('server.jwt'));
  }
  const metrics = await Promise.all(
    [stack.ports.discoveryMonitor, stack.ports.provisionerMonitor, stack.ports.swarmMonitor].map(
      async (port) => ({
        name: `metrics of ${port}`,
        content: await (await fetch(`http://127.0.0.1:${port}/metrics`)).text(),
      }),
    ),
  );
  const records = readAll(join(folder, 'records'));
  const processes = processesWith(stack.directory);
  await stack.endAll();
  const logs = [
    ...services.map((service) => stack.logFile(service)),
    ...swarms.map(({ logFile }) => logFile),
  ];

  const sources: Source[] = [
    ...logs.map((file) => ({ name: file, content: readFileSync(file) })),
    ...metrics,
    { name: 'node events', content: inJson(watch.events) },
    { name: 'nodes', content: inJson(nodes) },
    ...told.map((content, index) => ({ name: `refusal ${index}`, content })),
    ...records.map(({ name, content }) => ({ name: `helper ${name}`, content })),
    { name: 'command lines', content: processes.map(({ command }) => command).join('\n') },
    ...filesOfNodes(stack).map((node) => ({
      name: node.identity,
      content: node.read('state/manifest.json'),
    })),
    ...readAll(join(stack.directory, 'provisioner-data')),
  ];
  expect(findMarks(secrets.all, sources)).toEqual([]);

  // It would have been found: all of this was at work.
  expect(records.filter(({ name }) => name.endsWith('.input')).length).toBeGreaterThanOrEqual(18);
  expect(told.join('\n')).toMatch(/TOKEN_INVALID.*PROOF_INVALID/s);
  expect(readFileSync(stack.logFile('provisioner'), 'utf8')).toContain('the site says no');
  expect(readFileSync(stack.logFile('discovery'), 'utf8')).toContain('received headers');
  expect(processes.length).toBeGreaterThanOrEqual(services.length);
  const kept: Source = { name: 'the token', content: readFileSync(tokenFile) };
  expect(findMarks([newest, password], [kept])).toHaveLength(2);
});

function inJson(value: unknown): string {
  return JSON.stringify(value, (_key, part) => (typeof part === 'bigint' ? String(part) : part));
}
