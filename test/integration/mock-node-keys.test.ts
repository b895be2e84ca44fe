// The keys of a node over the wire: what it makes, what it takes, and what is on its disk afterwards, looked at with
// OpenSSL's command line.

import { execFileSync } from 'node:child_process';
import { createPublicKey, randomBytes, verify } from 'node:crypto';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { status } from '@grpc/grpc-js';
import { beforeAll, describe, expect, test } from 'vitest';
import { readNodeState } from '../../services/mock-node/state/read-node-state.js';
import { type Logger, loggerTo, silentLogger } from '../../shared/logger.js';
import { Secret } from '../../shared/secret.js';
import { encryptKey, newX25519Pair, sharedSecret } from '../../shared/trust/key-transfer.js';
import { createServerTokenIssuer } from '../../shared/trust/server-token.js';
import { SiteKeys } from '../fakes/site-keys.js';
import {
  configureRequest,
  NodeClient,
  newRun,
  patience,
  type Reply,
  type Run,
  startMockNode,
  temporaryFolder,
} from './mock-node-support.js';

const identity = 'web-1.example.net';
const keys = new SiteKeys();
let token: string;

beforeAll(async () => {
  token = await keys.token(Date.now() / 1000);
});

function openssl(args: readonly string[], input?: string): string {
  return execFileSync('openssl', args, { input, encoding: 'utf8', stdio: ['pipe', 'pipe', 'pipe'] });
}

/** A CA of OpenSSL's, in a folder. */
class OpensslCa {
  readonly folder = temporaryFolder();
  readonly certificate: string;

  constructor() {
    const subject = ['-subj', '/CN=test CA', '-days', '2'];
    const files = ['-keyout', join(this.folder, 'ca.key'), '-out', join(this.folder, 'ca.pem')];
    openssl(['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...subject, ...files]);
    this.certificate = readFileSync(join(this.folder, 'ca.pem'), 'utf8');
  }

  sign(csrPem: string): string {
    const ca = ['-CA', join(this.folder, 'ca.pem'), '-CAkey', join(this.folder, 'ca.key')];
    return openssl(['x509', '-req', ...ca, '-CAcreateserial', '-days', '1'], csrPem);
  }
}

interface Started {
  readonly node: NodeClient;
  /** The node's own. */
  readonly folder: string;
  restart(run: Run): Promise<void>;
}

async function start(log: Logger = silentLogger(), flags: readonly string[] = []): Promise<Started> {
  const directory = temporaryFolder();
  const tokenFile = join(temporaryFolder(), 'token.jwt');
  writeFileSync(tokenFile, `${token}\n`);
  const app = await startMockNode({
    log,
    flags: ['--tls-mode=required', '--dir', directory, '--jwt-file', tokenFile, ...flags],
  });
  const node = new NodeClient(`127.0.0.1:${app.port}`, 's3cret', { tls: true });
  return {
    node,
    folder: join(directory, identity),
    restart: async (run) => {
      await node.as(run, 'Restart');
      await expect.poll(() => app.swarm.counts.CONFIGURED, patience).toBe(1);
    },
  };
}

function modeOf(path: string): string {
  return (statSync(path).mode & 0o7777).toString(8);
}

/** The tests' server tokens are for this site, and of now. */
async function serverToken(publicKey: Buffer): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  const claims = { identity, ou: 'choria', collectives: ['choria'], expiresAt: now + 3600 };
  const issuer = createServerTokenIssuer(keys.seed, undefined, now);
  return await issuer.mint({ ...claims, publicKey: publicKey.toString('hex') }, now);
}

test('a request is signed by a CA, and its certificate fits the key on the disk', async () => {
  const { node, folder, restart } = await start();
  const run = newRun();
  const subject = { common_name: identity, country: 'MT', organization: 'Ops & "Co", Ltd', province: 'Gozö' };
  const { csr_pem, public_key_pem, ssl_dir } = await node.as(run, 'GenerateCsr', subject);
  expect(ssl_dir).toBe(join(folder, 'ssl'));
  const read = openssl(
    ['req', '-verify', '-noout', '-text', '-nameopt', 'utf8,sep_comma_plus'],
    String(csr_pem),
  );
  expect(read).toContain('Public-Key: (2048 bit)');
  expect(read).toContain('sha256WithRSAEncryption');
  const named = ['req', '-noout', '-subject', '-nameopt', 'multiline,-esc_msb,utf8'];
  const lines = openssl(named, String(csr_pem))
    .split('\n')
    .slice(1)
    .map((line) => line.replaceAll(/\s+/g, ' ').trim());
  expect(lines.filter((line) => line !== '')).toEqual([
    'countryName = MT',
    'stateOrProvinceName = Gozö',
    'organizationName = Ops & "Co", Ltd',
    `commonName = ${identity}`,
  ]);
  expect(openssl(['req', '-noout', '-pubkey'], String(csr_pem))).toBe(public_key_pem);
  expect(readFileSync(join(folder, 'ssl/csr.pem'), 'utf8')).toBe(csr_pem);

  const ca = new OpensslCa();
  const certificate = { certificate_pem: ca.sign(String(csr_pem)), ca_pem: ca.certificate, ssl_dir };
  await node.as(run, 'Configure', { ...configureRequest(), ...certificate });
  await restart(run);
  const at = (name: string) => join(folder, 'ssl', name);
  expect(openssl(['verify', '-CAfile', at('ca.pem'), at('certificate.pem')])).toContain('OK');
  expect(openssl(['pkey', '-in', at('private.pem'), '-pubout'])).toBe(public_key_pem);
  expect(openssl(['x509', '-in', at('certificate.pem'), '-noout', '-pubkey'])).toBe(public_key_pem);
  expect(readFileSync(at('private.pem'), 'utf8')).toMatch(/^-----BEGIN RSA PRIVATE KEY-----\n/);
  const names = ['private.pem', 'certificate.pem', 'ca.pem', 'csr.pem', '.'];
  expect(names.map((name) => modeOf(at(name)))).toEqual(['600', '644', '644', '644', '700']);
  expect(await readNodeState(folder)).toMatchObject({ confirmed: true, problems: [] });
});

test('a server token is for the seed on the disk', async () => {
  const { node, folder, restart } = await start();
  const run = newRun();
  const nonce = randomBytes(32);
  const reply = await node.as(run, 'GenerateEd25519Key', { nonce });
  const publicKey = reply.public_key as Buffer;
  const challenge = ['slipway/v1/ed25519-challenge', identity, run.runId, nonce.toString('hex')].join('\n');
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: publicKey.toString('base64url') };
  const key = createPublicKey({ key: jwk, format: 'jwk' });
  expect(verify(null, Buffer.from(challenge), key, reply.signature as Buffer)).toBe(true);
  expect(reply.directory).toBe(folder);

  // The seed as OpenSSL reads it.
  const seed = readFileSync(join(folder, 'server.seed'), 'utf8');
  expect(seed).toMatch(/^[0-9a-f]{64}$/);
  const der = Buffer.from(`302e020100300506032b657004220420${seed}`, 'hex').toString('base64');
  const pem = `-----BEGIN PRIVATE KEY-----\n${der}\n-----END PRIVATE KEY-----\n`;
  expect(openssl(['pkey', '-pubout'], pem)).toBe(key.export({ format: 'pem', type: 'spki' }));

  const server_jwt = await serverToken(publicKey);
  await node.as(run, 'Configure', { ...configureRequest(), server_jwt });
  await restart(run);
  expect(readFileSync(join(folder, 'server.jwt'), 'utf8')).toBe(server_jwt);
  expect(['server.jwt', 'server.seed'].map((name) => modeOf(join(folder, name)))).toEqual(['600', '600']);
  expect(await readNodeState(folder)).toMatchObject({ confirmed: true, problems: [] });
});

describe('a key from the helper', () => {
  /** What a provisioner makes of a key of OpenSSL's, for the node's exchange key. */
  function sent(ecdhPublic: Buffer, folder: string): { readonly pem: string; readonly request: Reply } {
    const pem = openssl(['genrsa', '-traditional', '2048']);
    const path = join(folder, 'sent.key');
    writeFileSync(path, pem);
    const subject = ['-subj', `/CN=${identity}`, '-days', '1'];
    const pair = newX25519Pair();
    return {
      pem,
      request: {
        key_pem: encryptKey(new Secret(pem), sharedSecret(pair.privateKey, ecdhPublic)),
        certificate_pem: openssl(['req', '-x509', '-key', path, ...subject]),
        ca_pem: openssl(['req', '-x509', '-key', path, ...subject]),
        node_ecdh_public: ecdhPublic,
        provisioner_ecdh_public: pair.publicKey,
      },
    };
  }

  test('is decrypted and takes the place of the one that the node made', async () => {
    const { node, folder, restart } = await start();
    const run = newRun();
    const reply = await node.as(run, 'GetJwt');
    expect(reply.jwt).toBe(token);
    await node.as(run, 'GenerateCsr', { common_name: identity });
    const { pem, request } = sent(reply.ecdh_public as Buffer, temporaryFolder());
    await node.as(run, 'Configure', { ...configureRequest(), ...request });
    await restart(run);
    const ssl = join(folder, 'ssl');
    expect(readFileSync(join(ssl, 'private.pem'), 'utf8')).toBe(pem);
    expect(existsSync(join(ssl, 'csr.pem'))).toBe(false);
    expect(['private.pem', 'certificate.pem', 'ca.pem'].map((name) => modeOf(join(ssl, name)))).toEqual([
      '600',
      '644',
      '644',
    ]);
    expect(openssl(['rsa', '-in', join(ssl, 'private.pem'), '-check', '-noout'])).toContain('ok');
    expect(await readNodeState(folder)).toMatchObject({ confirmed: true, problems: [] });
  });

  test('goes where the helper says, on the machine that the node plays', async () => {
    const { node, folder, restart } = await start();
    const run = newRun();
    const reply = await node.as(run, 'GetJwt');
    const { pem, request } = sent(reply.ecdh_public as Buffer, temporaryFolder());
    await node.as(run, 'Configure', { ...configureRequest(), ...request, ssl_dir: '/etc/site/ssl' });
    await restart(run);
    expect(readFileSync(join(folder, 'etc/site/ssl/private.pem'), 'utf8')).toBe(pem);
    expect(await readNodeState(folder)).toMatchObject({ confirmed: true, problems: [] });
  });

  test('is refused with the key pair of an earlier call, and without encryption', async () => {
    const { node } = await start();
    const run = newRun();
    const early = await node.as(run, 'GetJwt');
    const { pem, request } = sent(early.ecdh_public as Buffer, temporaryFolder());
    const { ecdh_public } = await node.as(run, 'GetJwt');
    const refused = (changes: object) =>
      node.refusal(run, 'Configure', { ...configureRequest(), ...request, ...changes });
    expect(await refused({})).toMatchObject({ code: status.FAILED_PRECONDITION, reason: 'KEY_CHANGED' });
    expect(await refused({ node_ecdh_public: ecdh_public })).toMatchObject({
      reason: 'ARGUMENT_INVALID',
      violations: [{ field: 'key_pem' }],
    });
    expect(await refused({ node_ecdh_public: ecdh_public, key_pem: pem })).toMatchObject({
      reason: 'ARGUMENT_INVALID',
      violations: [{ field: 'key_pem', description: 'is not encrypted' }],
    });
    expect(
      await refused({ node_ecdh_public: Buffer.of(), provisioner_ecdh_public: Buffer.of() }),
    ).toMatchObject({
      reason: 'ARGUMENT_INVALID',
      violations: [{ field: 'node_ecdh_public' }, { field: 'provisioner_ecdh_public' }],
    });
  });
});

test('what was made for other keys than the node has is refused', async () => {
  const { node, folder } = await start();
  const run = newRun();
  const { public_key } = await node.as(run, 'GenerateEd25519Key', { nonce: randomBytes(32) });
  const { csr_pem } = await node.as(run, 'GenerateCsr', { common_name: identity });
  const server_jwt = await serverToken(public_key as Buffer);
  const certificate_pem = new OpensslCa().sign(String(csr_pem));
  await node.as(run, 'Configure', { ...configureRequest(), server_jwt, certificate_pem });
  // Made anew, they withdraw what was made for those before.
  await node.as(run, 'GenerateEd25519Key', { nonce: randomBytes(32) });
  await node.as(run, 'GenerateCsr', { common_name: identity });
  for (const request of [{ server_jwt }, { certificate_pem }]) {
    expect(await node.refusal(run, 'Configure', { ...configureRequest(), ...request })).toMatchObject({
      code: status.FAILED_PRECONDITION,
      reason: 'KEY_CHANGED',
    });
  }
  expect(await node.refusal(run, 'Restart')).toMatchObject({ reason: 'PROVISIONING_ENABLED' });
  expect(await readNodeState(folder)).toMatchObject({ status: 'WITHDRAWN', problems: [] });
});

test('nothing that is logged holds a token, a key or a secret', async () => {
  const stream = new PassThrough();
  let logged = '';
  stream.on('data', (chunk) => {
    logged += chunk;
  });
  const log = loggerTo(stream, { service: 'mock-node', site: 'default', level: 'debug' });
  const ca = new OpensslCa();
  const flags = ['--discovery=127.0.0.1:1', '--ca', join(ca.folder, 'ca.pem')];
  const { node, folder, restart } = await start(log, flags);
  const run = newRun();
  await node.as(run, 'GetJwt');
  const { public_key } = await node.as(run, 'GenerateEd25519Key', { nonce: randomBytes(32) });
  const { csr_pem } = await node.as(run, 'GenerateCsr', { common_name: identity });
  const server_jwt = await serverToken(public_key as Buffer);
  const certificate_pem = ca.sign(String(csr_pem));
  await node.refusal(run, 'Configure', {
    ...configureRequest(),
    server_jwt: `${server_jwt}hunter2`,
    key_pem: 'hunter2',
  });
  await node.as(run, 'Configure', {
    ...configureRequest({ password: 'hunter2' }),
    server_jwt,
    certificate_pem,
  });
  await restart(run);
  expect(logged).toContain('booted');
  expect(logged).toContain('report failed');
  const [, privateLine = ''] = readFileSync(join(folder, 'ssl/private.pem'), 'utf8').split('\n');
  const seed = readFileSync(join(folder, 'server.seed'), 'utf8');
  for (const secret of ['hunter2', 's3cret', token, server_jwt, seed, privateLine, 'PRIVATE KEY']) {
    expect(logged).not.toContain(secret);
  }
});
