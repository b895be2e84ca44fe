import { X509Certificate } from 'node:crypto';
import type { ServerCredentials } from '@grpc/grpc-js';
import { describe, expect, test } from 'vitest';
import { parseIdentity } from '../../../shared/identity.js';
import { Secret } from '../../../shared/secret.js';
import { ReportVerifier, signReport } from '../../../shared/trust/report-envelope.js';
import { FakeClock } from '../../../test/fakes/fake-clock.js';
import { type BootCredentialsOptions, bootCredentials } from './boot-credentials.js';

const identity = parseIdentity('web-1.example.net') ?? expect.fail();
const report = Buffer.from('report');

function credentialsOf(changes: Partial<BootCredentialsOptions> = {}) {
  const released: ServerCredentials[] = [];
  const newCredentials = bootCredentials({
    tokenFile: undefined,
    secret: undefined,
    tls: true,
    shareCertificate: false,
    registries: undefined,
    release: (credentials) => released.push(credentials),
    clock: new FakeClock(),
    ...changes,
  });
  return { newCredentials, released };
}

describe('the certificate of a boot', () => {
  test('is its own, names the node and signs what it says', async () => {
    const { newCredentials, released } = credentialsOf();
    const [first, second] = [await newCredentials(identity), await newCredentials(identity)];
    const { certificate } = first;
    if (certificate === undefined) expect.fail('there is none');
    expect(certificate.sha256).not.toBe(second.certificate?.sha256);
    const parsed = new X509Certificate(certificate.der);
    expect(parsed.subject).toBe(`CN=${identity}`);
    expect(parsed.verify(parsed.publicKey)).toBe(true);
    expect(parsed.fingerprint256.replaceAll(':', '').toLowerCase()).toBe(certificate.sha256);
    new ReportVerifier(1).verify(report, certificate.der, signReport(report, certificate.key));
    first.release();
    expect(released).toEqual([certificate.credentials]);
  });

  test('may be one for all boots of the process, and then outlives each', async () => {
    const { newCredentials, released } = credentialsOf({ shareCertificate: true });
    const boots = await Promise.all([newCredentials(identity), newCredentials(identity)]);
    expect(boots[0]?.certificate).toBeDefined();
    expect(boots[0]?.certificate).toBe(boots[1]?.certificate);
    for (const boot of boots) boot.release();
    expect(released).toEqual([]);
  });

  test('is none without TLS', async () => {
    const { newCredentials, released } = credentialsOf({ tls: false });
    const boot = await newCredentials(identity);
    expect(boot.certificate).toBeUndefined();
    boot.release();
    expect(released).toEqual([]);
  });
});

test('without a token the secret is that of its file', async () => {
  const { newCredentials } = credentialsOf({ secret: new Secret('s3cret') });
  const boot = await newCredentials(identity);
  expect(boot).toMatchObject({ token: undefined, provisioningByDefault: false, registry: undefined });
  expect(boot.secret?.reveal()).toBe('s3cret');
});
