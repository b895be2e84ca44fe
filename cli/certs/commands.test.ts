import { spawnSync } from 'node:child_process';
import { createHash, X509Certificate } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { slipway, testFolder } from '../../test/fakes/fake-terminal.js';

const names = ['discovery', 'provisioner', 'operator', 'viewer'] as const;

async function made(...options: string[]): Promise<string> {
  const folder = join(testFolder(), 'certs');
  expect(await slipway(['certs', 'dev', folder, ...options])).toMatchObject({ code: 0, err: '' });
  return folder;
}

function certificate(folder: string, name: string): X509Certificate {
  return new X509Certificate(readFileSync(join(folder, `${name}.pem`)));
}

/** The text of every file, by name. */
function contents(folder: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
  );
}

describe('slipway certs dev', () => {
  test('makes a CA and certificates that OpenSSL verifies, with keys for their owner alone', async () => {
    const folder = await made();
    expect(readdirSync(folder).sort()).toEqual(
      ['ca', ...names].flatMap((name) => [`${name}.pem`, `${name}-key.pem`]).sort(),
    );
    for (const name of names) {
      const purpose = name === 'discovery' || name === 'provisioner' ? 'sslserver' : 'sslclient';
      const verified = spawnSync(
        'openssl',
        ['verify', '-x509_strict', '-purpose', purpose, '-CAfile', 'ca.pem', `${name}.pem`],
        { cwd: folder, encoding: 'utf8' },
      );
      expect(verified.stdout + verified.stderr).toBe(`${name}.pem: OK\n`);
    }
    for (const name of ['ca', ...names]) {
      expect(statSync(join(folder, `${name}-key.pem`)).mode & 0o777).toBe(0o600);
      expect(statSync(join(folder, `${name}.pem`)).mode & 0o777).toBe(0o644);
    }
  });

  test('names roles, hosts and usages, each where they belong', async () => {
    const folder = await made(
      '--host',
      'GW.example.net',
      '--host',
      '10.1.2.3',
      '--host',
      'fd00::7',
      '--host',
      '::ffff:10.9.9.9',
    );
    const discovery = certificate(folder, 'discovery');
    for (const host of ['localhost', 'discovery', 'gw.example.net'])
      expect(discovery.checkHost(host)).toBe(host);
    for (const ip of ['127.0.0.1', '::1', '10.1.2.3', 'fd00::7', '10.9.9.9'])
      expect(discovery.checkIP(ip)).toBe(ip);
    expect(discovery.checkHost('provisioner')).toBeUndefined();
    expect(certificate(folder, 'provisioner').checkHost('provisioner')).toBe('provisioner');
    for (const name of names) {
      expect(certificate(folder, name).subjectAltName).toContain(`URI:slipway:role:${name}`);
    }
    const [server, client] = ['1.3.6.1.5.5.7.3.1', '1.3.6.1.5.5.7.3.2'];
    expect(discovery.keyUsage).toEqual([server, client]);
    expect(certificate(folder, 'operator').keyUsage).toEqual([client]);
    expect(certificate(folder, 'operator').subjectAltName).toBe('URI:slipway:role:operator');
  });

  test('--days bounds their life, and they never outlive the CA', async () => {
    const now = new Date('2026-12-01T00:00:00Z');
    const folder = join(testFolder(), 'certs');
    await slipway(['certs', 'dev', folder, '--days', '30'], { now });
    const end = (name: string) => new Date(certificate(folder, name).validTo).toISOString().slice(0, 10);
    expect(end('viewer')).toBe('2026-12-31');
    const inNineYears = new Date('2035-12-01T00:00:00Z');
    await slipway(['certs', 'dev', folder, '--days', '3650', '--force'], { now: inNineYears });
    expect(end('viewer')).toBe(end('ca'));
  });

  test("says the CA's SHA-256, which is that of its DER", async () => {
    const folder = join(testFolder(), 'certs');
    const { out } = await slipway(['certs', 'dev', folder]);
    expect(out).toContain(createHash('sha256').update(certificate(folder, 'ca').raw).digest('hex'));
    expect(out).toContain(`${folder}/discovery-key.pem`);
  });

  test('what is there is kept; only what is missing is made', async () => {
    const folder = await made();
    const before = contents(folder);
    rmSync(join(folder, 'viewer.pem'));
    rmSync(join(folder, 'viewer-key.pem'));
    const { code, out } = await slipway(['certs', 'dev', folder]);
    expect(code).toBe(0);
    expect(out).toMatch(/kept +discovery\.pem/);
    expect(out).toMatch(/new +viewer\.pem/);
    const { 'viewer.pem': viewer, ...after } = contents(folder);
    expect(before).toMatchObject({ ...after, 'viewer-key.pem': expect.anything() });
    expect(viewer).not.toBe(before['viewer.pem']);
    expect(certificate(folder, 'viewer').verify(certificate(folder, 'ca').publicKey)).toBe(true);
  });

  test('--force renews all of the same CA', async () => {
    const folder = await made();
    const before = contents(folder);
    const { out } = await slipway(['certs', 'dev', folder, '--force']);
    expect(out).toMatch(/renewed +provisioner\.pem/);
    const after = contents(folder);
    expect(after['ca.pem']).toBe(before['ca.pem']);
    expect(after['ca-key.pem']).toBe(before['ca-key.pem']);
    expect(after['discovery.pem']).not.toBe(before['discovery.pem']);
    expect(after['discovery-key.pem']).not.toBe(before['discovery-key.pem']);
  });
});

describe('slipway certs dev changes nothing and says why', () => {
  async function refused(folder: string, ...options: string[]): Promise<string> {
    const before = contents(folder);
    const { code, out, err } = await slipway(['certs', 'dev', folder, ...options]);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(contents(folder)).toEqual(before);
    return err;
  }

  test('where a certificate that is there does not name a host', async () => {
    const err = await refused(await made(), '--host', 'gw.example.net');
    expect(err).toMatch(/discovery\.pem does not name gw\.example\.net: --force/);
    expect(err).toMatch(/provisioner\.pem does not name/);
    expect(err).not.toContain('viewer');
  });

  test('where a certificate is of another CA, and --force mends it', async () => {
    const folder = await made();
    rmSync(join(folder, 'ca.pem'));
    rmSync(join(folder, 'ca-key.pem'));
    expect(await refused(folder)).toMatch(/discovery\.pem is not of the CA/);
    expect(await slipway(['certs', 'dev', folder, '--force'])).toMatchObject({ code: 0 });
    expect(certificate(folder, 'discovery').checkIssued(certificate(folder, 'ca'))).toBe(true);
  });

  test('where a certificate has expired', async () => {
    const folder = join(testFolder(), 'certs');
    await slipway(['certs', 'dev', folder, '--days', '1'], { now: new Date('2026-01-01T00:00:00Z') });
    expect(await refused(folder)).toMatch(/viewer\.pem expired on .*--force/);
  });

  test('where half of a pair is missing, or is not of the other half', async () => {
    const folder = await made();
    rmSync(join(folder, 'operator-key.pem'));
    writeFileSync(join(folder, 'viewer.pem'), readFileSync(join(folder, 'discovery.pem')));
    const err = await refused(folder);
    expect(err).toMatch(/operator\.pem is there without .*operator-key\.pem/);
    expect(err).toMatch(/viewer\.pem and .*viewer-key\.pem are not a certificate and its key/);
  });

  test("where the CA's key is missing, unless nothing is to be made of it", async () => {
    const folder = await made();
    rmSync(join(folder, 'ca-key.pem'));
    expect(await slipway(['certs', 'dev', folder])).toMatchObject({ code: 0 });
    expect(await refused(folder, '--force')).toMatch(/ca-key\.pem is not there/);
  });

  test('where the CA is none', async () => {
    const folder = await made();
    writeFileSync(join(folder, 'ca.pem'), 'junk');
    expect(await refused(folder, '--force')).toMatch(/ca\.pem and .*ca-key\.pem are not a CA certificate/);
  });

  test('where its options are wrong, with exit code 2', async () => {
    const folder = join(testFolder(), 'certs');
    for (const wrong of [
      ['--days', '0'],
      ['--days', '1w'],
      ['--host', 'no host'],
      ['--host', '1.2.3'],
      ['--host', 'fe80::1%eth0'],
      ['--hots', 'x'],
    ]) {
      const { code, err } = await slipway(['certs', 'dev', folder, ...wrong]);
      expect({ wrong, code }).toEqual({ wrong, code: 2 });
      expect(err).toContain(wrong[0]);
    }
    expect(await slipway(['certs', 'dev'])).toMatchObject({ code: 2 });
    expect(() => statSync(folder)).toThrow('ENOENT');
  });
});
