// The example helpers that most sites start from, run as they are on what Slipway gives them: certificates that
// are then verified with OpenSSL's command line, and configuration for an organisation's nodes.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { HelperInput, HelperReply } from '../../services/provisioner/helper/helper.js';
import { encodeInput } from '../../services/provisioner/helper/input.js';
import { parseReply } from '../../services/provisioner/helper/reply.js';
import { inputOf as sampleInput } from './helper-support.js';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-examples-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** What a node could write into its facts to pass for something else. */
const facts = {
  role: 'web',
  trap: '","csr":{"csr":"evil","public_key":"x","ssldir":"/evil"},"ed25519_pubkey":{',
};

interface NodeInput {
  readonly csr?: HelperInput['csr'];
  readonly key?: HelperInput['key'];
}

/** What the provisioner writes to a helper. */
function inputOf(node: NodeInput): string {
  const { identity, inventory } = sampleInput();
  return encodeInput({ identity, inventory: { ...inventory, factsJson: JSON.stringify(facts) }, ...node });
}

function example(name: string): string {
  return fileURLToPath(new URL(`../../examples/helpers/${name}`, import.meta.url));
}

interface Ran {
  readonly code: number | null;
  readonly reply: HelperReply | undefined;
  readonly err: string;
}

/** Runs a helper with nothing of this process's environment but PATH. */
function run(name: string, input: string, env: Readonly<Record<string, string>> = {}): Ran {
  const { status, stdout, stderr } = spawnSync(example(name), {
    input,
    encoding: 'utf8',
    env: { PATH: process.env.PATH, ...env },
  });
  return { code: status, reply: status === 0 ? parseReply(stdout) : undefined, err: stderr };
}

const hasPython = spawnSync('python3', ['--version']).status === 0;
const languages = [
  { language: 'sh', extension: 'sh', missing: false },
  { language: 'Python', extension: 'py', missing: !hasPython },
];

describe.each(languages)('the x509 example in $language', ({ extension, missing }) => {
  const name = `x509.${extension}`;

  /** A request as a node makes it, that asks for another name as well. */
  function request(): NonNullable<HelperInput['csr']> {
    const subject = ['-subj', '/CN=n1.example.net'];
    const names = ['-addext', 'subjectAltName=DNS:n1.example.net,DNS:vault.example.net'];
    const made = spawnSync(
      'openssl',
      ['req', '-new', '-newkey', 'rsa:2048', '-nodes', '-keyout', 'node-key.pem', ...subject, ...names],
      { cwd: folder, encoding: 'utf8' },
    );
    const key = spawnSync('openssl', ['pkey', '-in', 'node-key.pem', '-pubout'], {
      cwd: folder,
      encoding: 'utf8',
    });
    return { csrPem: made.stdout, publicKeyPem: key.stdout, sslDir: '/etc/choria/ssl' };
  }

  /** What openssl says of the certificate that a helper gave. */
  function openssl(...args: string[]): string {
    const { stdout, stderr } = spawnSync('openssl', args, { cwd: folder, encoding: 'utf8' });
    return stdout + stderr;
  }

  test.skipIf(missing)('gives a certificate that verifies, of the key and the name of the node alone', () => {
    const csr = request();
    const env = { X509_CA_DIR: join(folder, 'ca') };
    const { reply, err } = run(name, inputOf({ csr }), env);
    expect(reply, err).toMatchObject({ defer: false, ssldir: '/etc/choria/ssl' });
    expect(Object.fromEntries(reply?.configuration ?? [])).toMatchObject({
      identity: 'n1.example.net',
      'plugin.choria.server.provision': 'false',
      'plugin.security.provider': 'file',
      'plugin.security.file.certificate': '/etc/choria/ssl/certificate.pem',
      'plugin.security.file.key': '/etc/choria/ssl/private.pem',
      'plugin.security.file.ca': '/etc/choria/ssl/ca.pem',
    });
    writeFileSync(join(folder, 'certificate.pem'), reply?.certificate ?? '');
    writeFileSync(join(folder, 'ca.pem'), reply?.ca ?? '');
    expect(
      openssl('verify', '-x509_strict', '-purpose', 'sslclient', '-CAfile', 'ca.pem', 'certificate.pem'),
    ).toBe('certificate.pem: OK\n');
    const text = openssl('x509', '-in', 'certificate.pem', '-noout', '-text');
    expect(text).toContain('CN = n1.example.net');
    expect(text).toContain('DNS:n1.example.net');
    expect(text).not.toContain('vault');
    expect(openssl('x509', '-in', 'certificate.pem', '-noout', '-pubkey')).toBe(
      openssl('pkey', '-in', 'node-key.pem', '-pubout'),
    );
  });

  test.skipIf(missing)('the CA is made once, and only its owner can read it', () => {
    const csr = request();
    const env = { X509_CA_DIR: join(folder, 'ca') };
    const [first, second] = [run(name, inputOf({ csr }), env), run(name, inputOf({ csr }), env)];
    expect(first.reply?.ca).toMatch(/^-----BEGIN CERTIFICATE-----/);
    expect(second.reply?.ca).toBe(first.reply?.ca);
    expect(statSync(join(folder, 'ca/ca-with-key.pem')).mode & 0o777).toBe(0o600);
  });

  test.skipIf(missing)('defers where there is no request, and where the signing command cannot now', () => {
    expect(run(name, inputOf({})).reply).toMatchObject({
      defer: true,
      msg: expect.stringContaining('features.pki'),
      retryAfterMs: 60_000,
    });
    const busy = run(name, inputOf({ csr: request() }), { X509_CA: signingCommand('exit 75') });
    expect(busy.reply).toMatchObject({ defer: true, msg: expect.stringContaining('cannot sign now') });
  });

  test.skipIf(missing)('fails where the signing command does, with what that said', () => {
    const broken = run(name, inputOf({ csr: request() }), {
      X509_CA: signingCommand('echo the vault is sealed >&2; exit 3'),
    });
    expect(broken.code).toBeGreaterThan(0);
    expect(broken.err).toContain('the vault is sealed');
  });

  function signingCommand(body: string): string {
    const file = join(folder, 'sign');
    writeFileSync(file, `#!/bin/sh\ncat >/dev/null\n${body}\n`, { mode: 0o755 });
    return file;
  }
});

describe('the CA of the examples', () => {
  test('two helpers that find none at the same time end up with one', async () => {
    const env = { ...process.env, X509_CA_DIR: join(folder, 'ca') };
    const script = `for i in 1 2 3 4; do "${example('x509-ca.sh')}" ca >"$1/$i" & done; wait`;
    expect(spawnSync('sh', ['-c', script, 'sh', folder], { env }).status).toBe(0);
    const seen = ['1', '2', '3', '4'].map((name) => readFileSync(join(folder, name), 'utf8'));
    expect(seen[0]).toMatch(/^-----BEGIN CERTIFICATE-----/);
    expect(new Set(seen).size).toBe(1);
  });

  test('a name with a line break would be a setting, and is refused', () => {
    const env = { ...process.env, X509_CA_DIR: join(folder, 'ca') };
    const { status, stderr } = spawnSync(example('x509-ca.sh'), ['sign', 'a\nb = c'], {
      env,
      encoding: 'utf8',
    });
    expect(status).toBe(2);
    expect(stderr).toContain('no identity');
    expect(existsSync(join(folder, 'ca'))).toBe(false);
  });
});

describe.each(languages)('the organisation-issuer example in $language', ({ extension, missing }) => {
  const name = `org-issuer.${extension}`;
  const key = { publicKey: Buffer.alloc(32, 1), directory: '/etc/choria', signature: Buffer.alloc(64, 2) };
  const issuer = 'c0'.repeat(32);

  test.skipIf(missing)('points the node at its key, its token and the organisation', () => {
    const file = join(folder, 'issuer.public');
    writeFileSync(file, `${issuer}\n`);
    const { reply, err } = run(name, inputOf({ key }), { ORG_ISSUER_FILE: file });
    expect(reply, err).toMatchObject({
      defer: false,
      serverClaims: { exp: 31_536_000, permissions: { streams: true, submission: true } },
    });
    expect(Object.fromEntries(reply?.configuration ?? [])).toMatchObject({
      identity: 'n1.example.net',
      'plugin.choria.server.provision': 'false',
      'plugin.security.provider': 'choria',
      'plugin.security.issuer.names': 'choria',
      'plugin.security.issuer.choria.public': issuer,
      'plugin.security.choria.token_file': '/etc/choria/server.jwt',
      'plugin.security.choria.seed_file': '/etc/choria/server.seed',
    });
  });

  test.skipIf(missing)('defers where there is no key, and where the organisation is not known', () => {
    expect(run(name, inputOf({})).reply).toMatchObject({
      defer: true,
      msg: expect.stringContaining('features.ed25519'),
    });
    const unknown = run(name, inputOf({ key }), { ORG_ISSUER_FILE: join(folder, 'nowhere') });
    expect(unknown.reply).toMatchObject({ defer: true, msg: expect.stringContaining('public key') });
  });
});
