import { execFileSync } from 'node:child_process';
import { chmodSync, rmSync } from 'node:fs';
import { Writable } from 'node:stream';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import {
  type CertificateWish,
  dayMs,
  makeAuthority,
  makeCertificate,
  type TestCertificate,
} from '../../test/fakes/certificates.js';
import { FakeClock } from '../../test/fakes/fake-clock.js';
import { TlsFolder } from '../../test/fakes/tls-folder.js';
import { ConfigError } from '../config/config-error.js';
import { loggerTo } from '../logger.js';
import { TlsFiles } from './tls-files.js';

let ca: TestCertificate;
let other: TestCertificate;
let service: TestCertificate;
let next: TestCertificate;

beforeAll(async () => {
  ca = await makeAuthority({ name: 'site CA' });
  other = await makeAuthority({ name: 'other CA' });
  service = await makeCertificate({ name: 'discovery', issuer: ca });
  next = await makeCertificate({ name: 'discovery', issuer: ca });
});

function folderWith(certificate: TestCertificate, ...authorities: TestCertificate[]): TlsFolder {
  const folder = new TlsFolder();
  onTestFinished(() => folder.remove());
  folder.put(certificate, authorities);
  return folder;
}

async function open(folder: TlsFolder, clock = new FakeClock(Date.now())) {
  const lines: string[] = [];
  const sink = new Writable({
    write: (line, _encoding, done) => {
      const { level, msg } = JSON.parse(String(line));
      lines.push(`${level}: ${msg}`);
      done();
    },
  });
  const log = loggerTo(sink, { service: 'test', site: 'test', level: 'info' });
  const files = await TlsFiles.open(folder.paths, { clock, log, usages: ['serverAuth', 'clientAuth'] });
  onTestFinished(() => files.close());
  return { files, lines, clock };
}

async function problemsOf(folder: TlsFolder): Promise<string[]> {
  try {
    await open(folder);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems.map(({ path, message }) => `${path}: ${message.replaceAll(`${folder.path}/`, '')}`);
  }
}

async function issued(wish: CertificateWish = {}): Promise<TestCertificate> {
  return makeCertificate({ name: 'discovery', issuer: ca, ...wish });
}

describe('TLS files', () => {
  it('give the certificate, and the chain with its root', async () => {
    const between = await makeAuthority({ name: 'between', issuer: ca });
    const leaf = await makeCertificate({ issuer: between });
    const folder = folderWith(leaf, other, ca);
    folder.write('cert', `a comment\n${leaf.certificatePem}${between.certificatePem}`);
    const { current } = (await open(folder)).files;
    expect(current.certificatePem).toBe(leaf.certificatePem + between.certificatePem);
    expect(current.chainToRootPem).toBe(current.certificatePem + ca.certificatePem);
    expect(current.caPem).toBe(other.certificatePem + ca.certificatePem);
  });

  it('may have the root in the certificate file, what is between in the CA file, and no root at all', async () => {
    const between = await makeAuthority({ name: 'between', issuer: ca });
    const leaf = await makeCertificate({ issuer: between });
    const folder = folderWith(leaf, between, ca);
    const { current } = (await open(folder)).files;
    expect(current.certificatePem).toBe(leaf.certificatePem + between.certificatePem);
    folder.write('cert', leaf.certificatePem + between.certificatePem + ca.certificatePem);
    expect((await open(folder)).files.current).toEqual({ ...current, caPem: expect.any(String) });
    folder.put(leaf, [between]);
    expect((await open(folder)).files.current.chainToRootPem).toBe(current.certificatePem);
  });

  it('lead to the CA that is valid, where the one before had the same key', async () => {
    const past = { notBefore: new Date('2020-01-01T00:00:00Z'), notAfter: new Date('2021-01-01T00:00:00Z') };
    const old = await makeAuthority({ name: 'site CA', ...past });
    const renewed = await makeAuthority({ name: 'site CA', keys: old.keys });
    const leaf = await makeCertificate({ issuer: old });
    const folder = folderWith(leaf, old, renewed);
    const chain = leaf.certificatePem + renewed.certificatePem;
    expect((await open(folder)).files.current.chainToRootPem).toBe(chain);
    const valid = await makeAuthority({ name: 'site CA', keys: old.keys });
    folder.put(leaf, [renewed]);
    folder.write('cert', leaf.certificatePem + valid.certificatePem);
    expect((await open(folder)).files.current.chainToRootPem).toBe(chain);
  });

  it.each(['P-256', 'ED25519', 'RSA'] as const)('take keys of the kind %s', async (key) => {
    const leaf = await issued({ key });
    expect((await open(folderWith(leaf, ca))).files.current.keyPem).toBe(leaf.keyPem);
  });

  it('warn of a key that everybody may read', async () => {
    const folder = folderWith(service, ca);
    expect((await open(folder)).lines).toEqual([]);
    chmodSync(folder.paths.key, 0o644);
    expect((await open(folder)).lines).toEqual([
      expect.stringMatching(/^warn: tls\.key: .*key\.pem may be read by every user .*: chmod o-rwx /),
    ]);
  });
});

describe('TLS files that cannot be used are told, all at once:', () => {
  it('missing ones', async () => {
    const folder = folderWith(service, ca);
    rmSync(folder.paths.cert);
    rmSync(folder.paths.key);
    expect(await problemsOf(folder)).toEqual([
      expect.stringMatching(/^tls\.cert: cert\.pem: cannot be read: ENOENT/),
      expect.stringMatching(/^tls\.key: key\.pem: cannot be read: ENOENT/),
    ]);
  });

  it('files that hold something else', async () => {
    const folder = folderWith(service, ca);
    folder.write('cert', service.keyPem);
    folder.write('key', service.certificatePem);
    folder.write('ca', '');
    expect(await problemsOf(folder)).toEqual([
      'tls.cert: cert.pem: holds no PEM certificate: it is a private key',
      'tls.key: key.pem: holds no PEM private key',
      'tls.ca: ca.pem: holds no PEM certificate: it is empty',
    ]);
  });

  it('DER', async () => {
    const folder = folderWith(service, ca);
    folder.write('cert', Buffer.from([0x30, 0x82, 0x01, 0x00]).toString('latin1'));
    expect(await problemsOf(folder)).toEqual([
      expect.stringMatching(/where it is DER, convert it: openssl x509/),
    ]);
  });

  it('a certificate that is cut off, or garbled', async () => {
    const folder = folderWith(service, ca);
    folder.write('cert', service.certificatePem.slice(0, -40));
    folder.write('ca', ca.certificatePem.replace(/^M.../m, 'AAAA'));
    expect(await problemsOf(folder)).toEqual([
      'tls.cert: cert.pem: holds a certificate that is cut off',
      expect.stringMatching(/^tls\.ca: ca\.pem: certificate 1 in it cannot be read: /),
    ]);
  });

  it('an encrypted key, with how to write it in plain', async () => {
    const folder = folderWith(service, ca);
    for (const traditional of [[], ['-traditional']]) {
      const options = ['-aes256', '-passout', 'pass:x', ...traditional];
      folder.write('key', String(execFileSync('openssl', ['pkey', ...options], { input: service.keyPem })));
      expect(await problemsOf(folder)).toEqual([
        expect.stringMatching(/^tls\.key: key\.pem: is encrypted, .*\(openssl pkey -in FILE -out PLAIN\)$/),
      ]);
    }
  });

  it('a key of another certificate', async () => {
    const folder = folderWith(service, ca);
    folder.write('key', next.keyPem);
    expect(await problemsOf(folder)).toEqual([
      'tls.key: key.pem: is not the key of the certificate of tls.cert',
    ]);
  });

  it('a certificate that has expired, or is not valid yet', async () => {
    const past = new Date('2020-02-01T00:00:00Z');
    const before = new Date('2020-01-01T00:00:00Z');
    const expired = await issued({ notBefore: before, notAfter: past });
    expect(await problemsOf(folderWith(expired, ca))).toEqual([
      'tls.cert: cert.pem: the certificate expired at 2020-02-01T00:00:00.000Z',
    ]);
    const early = await issued({ notBefore: new Date(Date.now() + dayMs) });
    expect(await problemsOf(folderWith(early, ca))).toEqual([
      expect.stringMatching(/^tls\.cert: cert\.pem: the certificate is not valid before \d{4}-/),
    ]);
  });

  it('a certificate whose issuer has expired', async () => {
    const old = await makeAuthority({
      name: 'old CA',
      notAfter: new Date('2021-01-01T00:00:00Z'),
      notBefore: new Date('2020-01-01T00:00:00Z'),
    });
    expect(await problemsOf(folderWith(await makeCertificate({ issuer: old }), old))).toEqual([
      'tls.cert: cert.pem: the certificate of CN=old CA, which issued it, expired at 2021-01-01T00:00:00.000Z',
    ]);
  });

  it('a certificate of a CA that is not there, also one of the same name', async () => {
    const twin = await makeAuthority({ name: 'site CA' });
    for (const trusted of [other, twin]) {
      expect(await problemsOf(folderWith(service, trusted))).toEqual([
        'tls.cert: cert.pem: the certificate does not lead to one of tls.ca, so that no peer could verify it: ' +
          'CN=site CA is not there',
      ]);
    }
  });

  it('a CA that is none', async () => {
    expect(await problemsOf(folderWith(service, ca, next))).toEqual([
      'tls.ca: ca.pem: holds CN=discovery, which is no CA certificate',
    ]);
  });

  it('a certificate for another use', async () => {
    expect(await problemsOf(folderWith(await issued({ usages: ['serverAuth'] }), ca))).toEqual([
      'tls.cert: cert.pem: the certificate lacks the extended key usage clientAuth',
    ]);
    expect(await problemsOf(folderWith(await issued({ usages: ['clientAuth', 'serverAuth'] }), ca))).toEqual(
      [],
    );
  });
});

describe('TLS files that change', () => {
  it('are used within a second, whether replaced or written in place', async () => {
    const folder = folderWith(service, ca);
    const { files, clock, lines } = await open(folder);
    for (const [fresh, change] of [
      [next, 'replace'],
      [service, 'write'],
    ] as const) {
      const changed = new Promise((resolve) => files.onChange(resolve));
      folder[change]('cert', fresh.certificatePem);
      folder[change]('key', fresh.keyPem);
      await clock.advance(1000);
      await changed;
      expect(files.current.certificatePem).toBe(fresh.certificatePem);
    }
    expect(lines.filter((line) => line === 'info: the TLS files have changed and are in use')).toHaveLength(
      2,
    );
  });

  it('that do not fit together are not used until they do, and then without a word', async () => {
    const folder = folderWith(service, ca);
    const { files, lines } = await open(folder);
    folder.write('cert', next.certificatePem);
    await files.refresh();
    expect(files.current.certificatePem).toBe(service.certificatePem);
    folder.write('key', next.keyPem);
    await files.refresh();
    expect(files.current.certificatePem).toBe(next.certificatePem);
    expect(lines.filter((line) => line.startsWith('warn'))).toEqual([]);
  });

  it('that stay unusable are warned about once, and looked at again', async () => {
    const folder = folderWith(service, ca);
    const { files, lines } = await open(folder);
    folder.write('cert', next.certificatePem.slice(0, 300));
    for (let look = 0; look < 5; look++) await files.refresh();
    expect(lines).toEqual([
      expect.stringMatching(/^warn: the TLS files have changed and cannot be used; .*cut off/),
    ]);
    folder.put(next, [ca]);
    await files.refresh();
    expect(files.current.certificatePem).toBe(next.certificatePem);
  });

  it('that vanish leave what was there in use, and are warned about once', async () => {
    const folder = folderWith(service, ca);
    const { files, lines } = await open(folder);
    rmSync(folder.paths.key);
    for (let look = 0; look < 5; look++) await files.refresh();
    expect(files.current.keyPem).toBe(service.keyPem);
    expect(lines).toEqual([expect.stringMatching(/^warn: .*tls\.key: .*cannot be read: ENOENT/)]);
    folder.write('key', service.keyPem);
    for (let look = 0; look < 5; look++) await files.refresh();
    expect(lines.slice(1)).toEqual([expect.stringMatching(/^info: .* again as they are in use/)]);
    rmSync(folder.paths.key);
    for (let look = 0; look < 5; look++) await files.refresh();
    expect(lines).toHaveLength(3);
  });

  it('are used once their time has come', async () => {
    const folder = folderWith(service, ca);
    const { files, clock } = await open(folder);
    const early = await issued({ notBefore: new Date(Date.now() + dayMs) });
    folder.put(early, [ca]);
    await files.refresh();
    expect(files.current.certificatePem).toBe(service.certificatePem);
    clock.jumpWall(2 * dayMs);
    await files.refresh();
    expect(files.current.certificatePem).toBe(early.certificatePem);
  });

  it('are told to nobody who has gone, and not looked at once closed', async () => {
    const folder = folderWith(service, ca);
    const { files, clock } = await open(folder);
    let told = 0;
    const off = files.onChange(() => told++);
    off();
    folder.put(next, [ca]);
    await files.refresh();
    expect(told).toBe(0);
    files.close();
    expect(clock.pendingTimers).toBe(0);
  });
});

describe('the end of a certificate', () => {
  it('is warned about before it comes, and told when it is there', async () => {
    const { lines, clock, files } = await open(folderWith(service, ca));
    const looked = async () => {
      await clock.advance(1000);
      await files.refresh();
      await clock.advance(0);
    };
    await looked();
    expect(lines).toEqual([]);
    clock.jumpWall(29 * dayMs);
    await looked();
    await looked();
    expect(lines).toEqual(['warn: the TLS certificate expires soon']);
    clock.jumpWall(2 * dayMs);
    await looked();
    await looked();
    expect(lines.slice(1)).toEqual([
      'error: the TLS certificate has expired: peers refuse it until it is replaced',
    ]);
  });

  it('is a reason until another one is there, and those who listen are told of both once', async () => {
    const folder = folderWith(await issued({ notAfter: new Date(Date.now() + dayMs) }), ca);
    const { files, clock } = await open(folder);
    const told: (string | undefined)[] = [];
    files.onExpiryChange(() => told.push(files.whyExpired));
    const looked = async () => {
      await clock.advance(1000);
      await files.refresh();
      await clock.advance(0);
    };
    await looked();
    expect(files.whyExpired).toBeUndefined();
    clock.jumpWall(2 * dayMs);
    await looked();
    await looked();
    expect(files.whyExpired).toMatch(
      /^the TLS certificate \S+cert\.pem expired at \d{4}-.*: peers refuse it/,
    );
    folder.put(service, [ca]);
    await looked();
    await looked();
    expect(told).toEqual([expect.stringContaining('expired at'), undefined]);
  });
});
