// Secrets are in no log, event, metric, error message, helper argument or environment, and in no helper's input
// (design, section 8). Here every secret of a site can be recognised, in whole or in part and in any usual encoding
// (marks.ts), everything is logged, a good deal goes wrong, and all that the system says is looked through.
//
// What may hold secrets is not looked through: the files that are there for them, the environment and the flags that a
// test itself gives to a service, and what a helper answers. What a helper writes to standard error is the site's own
// and is logged as it is; here there is no secret in it.

import { X509Certificate } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { freePorts } from '../../cli/launch/ports.js';
import { quoteWord } from '../../cli/launch/quote.js';
import type { Stack } from '../../cli/launch/stack.js';
import { makeTrust } from '../../cli/launch/trust.js';
import { until } from '../../cli/launch/until.js';
import { callUnary } from '../../shared/grpc/call.js';
import { certificateSha256 } from '../../shared/trust/report-envelope.js';
import { makeCertificate } from '../fakes/certificates.js';
import { FakeNodes } from '../fakes/fake-nodes.js';
import { slipway } from '../fakes/fake-terminal.js';
import { startAnotherSwarm } from './another-swarm.js';
import { configureInVain, reportInVain } from './canary-callers.js';
import { CanarySecrets, pemAround } from './canary-secrets.js';
import { type FailedStart, startInVain } from './canary-starts.js';
import { listenAnywhere } from './listen.js';
import { LogLines } from './log-lines.js';
import { findMarks, type Source } from './marks.js';
import { filesOfNodes } from './node-files.js';
import { connectDiscovery, listNodes, NodeWatch } from './node-watch.js';
import { processesWith } from './processes.js';
import { RotatingIssuer } from './rotating-issuer.js';
import { RotatingTrust, tlsPathsIn } from './rotating-trust.js';
import { scratchFolder } from './scratch-folder.js';
import { prepareStack, testHelper } from './workspace.js';

const patienceMs = 180_000;
const debug = { loglevel: 'debug' };
const services = ['discovery', 'provisioner', 'mock-node'] as const;

function readAll(folder: string): Source[] {
  return readdirSync(folder).map((file) => ({ name: file, content: readFileSync(join(folder, file)) }));
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

test('no secret is told by a service that cannot start because of it', { timeout: patienceMs }, async () => {
  const folder = scratchFolder();
  const issuer = new RotatingIssuer(folder);
  const trust = await makeTrust(join(folder, 'trust'));
  const secrets = new CanarySecrets(trust, issuer);
  const { newest, older, broken } = secrets.texts;
  const write = (name: string, text: string) => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };
  const read = (path: string) => readFileSync(path, 'utf8').trim();
  const tls = tlsPathsIn(trust.certificates, 'provisioner');
  const token = await secrets.makeToken('boot.jwt', { cht: newest });
  const taken = await listenAnywhere(createServer(), '127.0.0.1');
  const base = {
    ...debug,
    tls,
    listen: `127.0.0.1:${taken}`,
    monitor_port: 0,
    discovery: ['127.0.0.1:1'],
    helper: 'sh',
    data_dir: join(folder, 'data'),
  };
  const signing = { features: { ed25519: true }, jwt_verify_cert: trust.verificationKey, ...issuer.paths };
  const brokenText = write('broken', broken.text);
  const brokenPem = write('broken.pem', pemAround(broken.text));
  const privatePem = write('private.pem', secrets.signingKeyPem);
  const inline = { jwt_signing_key: read(trust.signingKey), jwt_signing_token: read(token) };
  const starts: readonly FailedStart[] = [
    {
      name: 'secrets where none, or a path, is expected',
      service: 'provisioner',
      settings: {
        ...base,
        ...inline,
        token: [[newest.text], { value: older.text }],
        tokn: newest.text,
        tls: { cert: read(tls.cert) + read(tls.key), key: read(tls.key), ca: tls.ca },
        jwt_verify_cert: secrets.signingKeyPem,
      },
    },
    {
      name: 'the same from the environment',
      service: 'provisioner',
      settings: { ...base, ...signing, token_file: trust.secret },
      env: {
        SLIPWAY_TOKEN: `${newest.text},${older.text}`,
        SLIPWAY_TOKN: newest.text,
        SLIPWAY_JWT_SIGNING_KEY: inline.jwt_signing_key,
        SLIPWAY_TLS_KEY: read(tls.key),
      },
    },
    {
      name: 'files with something else in them',
      service: 'provisioner',
      settings: {
        ...base,
        ...signing,
        token: newest.text,
        tls: { cert: brokenPem, key: brokenPem, ca: privatePem },
        jwt_verify_cert: privatePem,
        jwt_signing_key: brokenText,
        jwt_signing_token: token,
      },
    },
    {
      name: 'a key that is not the one of the token',
      service: 'provisioner',
      settings: { ...base, ...signing, jwt_signing_key: trust.signingKey, token: newest.text },
    },
    { name: 'no file of secrets', service: 'provisioner', settings: { ...base, token_file: folder } },
    {
      name: 'broken YAML',
      service: 'provisioner',
      settings: `token:\n  - *${newest.text}\n  - "${older.text}\n`,
    },
    {
      name: 'a port that is taken',
      service: 'provisioner',
      settings: { ...base, ...signing },
      env: { SLIPWAY_TOKEN: `${newest.text},${older.text}` },
    },
    {
      name: 'a private key to verify with',
      service: 'discovery',
      settings: { ...debug, tls, jwt_verify_cert: privatePem, monitor_port: 0 },
    },
    {
      name: 'another secret than that of the token',
      service: 'mock-node',
      settings: ['--jwt-file', token, '--secret-file', write('secret', older.text), '--loglevel', 'debug'],
    },
    { name: 'no token', service: 'mock-node', settings: ['--jwt-file', brokenText] },
    { name: 'no CA', service: 'mock-node', settings: ['--jwt-file', token, '--ca', privatePem] },
  ];
  const results = await Promise.all(starts.map((start) => startInVain(folder, start)));
  for (const { name, code, said } of results) {
    expect([name, code === 1 || code === 2, said === '']).toEqual([name, true, false]);
  }
  const sources = results.map(({ name, said }) => ({ name, content: said }));
  expect(findMarks(secrets.all, sources)).toEqual([]);
});

test('no secret is told by a command, unless it was asked for', async () => {
  const folder = scratchFolder();
  const issuer = new RotatingIssuer(folder);
  const trust = await makeTrust(join(folder, 'trust'));
  const secrets = new CanarySecrets(trust, issuer);
  const { newest, broken, password } = secrets.texts;
  const token = await secrets.makeToken('boot.jwt', { cht: newest });
  const brokenFile = join(folder, 'broken');
  writeFileSync(brokenFile, pemAround(broken.text));
  const results = [
    await slipway(['token', 'view', token]),
    await slipway(['token', 'view', '--json', token]),
    await slipway(['token', 'view', brokenFile]),
    await slipway(['token', 'verify', '--key', trust.verificationKey, token]),
    await slipway(['token', 'verify', '--key', trust.signingKey, token]),
    await slipway(['token', 'verify', '--key', brokenFile, token]),
    await slipway(['token', 'provisioning', '--signing-key', brokenFile, join(folder, 'a.jwt')]),
    await slipway(['token', 'provisioning', '--signing-key', token, join(folder, 'b.jwt')]),
    await slipway([
      ...['token', 'provisioning', '--signing-key', trust.signingKey, '--secret-file', trust.secret],
      ...['--password-file', brokenFile, '--ca', tlsPathsIn(trust.certificates, 'viewer').key],
      join(folder, 'c.jwt'),
    ]),
    await slipway(['certs', 'dev', trust.certificates, '--force']),
  ];
  expect(results.map(({ code }) => code)).toEqual([0, 0, 1, 0, 2, 2, 2, 2, 2, 0]);
  const sources = results.map(({ out, err }, index) => ({ name: `command ${index}`, content: out + err }));
  expect(findMarks(secrets.all, sources)).toEqual([]);

  const { out } = await slipway(['token', 'view', '--show-secrets', token]);
  expect(findMarks([newest, password], [{ name: 'all of it', content: out }])).toHaveLength(2);
});

function inJson(value: unknown): string {
  return JSON.stringify(value, (_key, part) => (typeof part === 'bigint' ? String(part) : part));
}
