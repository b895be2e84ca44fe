import { X509Certificate } from 'node:crypto';
import { status } from '@grpc/grpc-js';
import { describe, expect, it } from 'vitest';
import { type CertificateWish, dayMs, makeCertificate } from '../../test/fakes/certificates.js';
import { FakeClock } from '../../test/fakes/fake-clock.js';
import type { AuthContext } from '../grpc/peer-name.js';
import { certificateAuthenticator } from './certificate-authenticator.js';
import { defaultRolePatterns } from './roles.js';

const viewer = 'slipway:role:viewer';

async function contextWith(wish: CertificateWish): Promise<AuthContext> {
  const { certificatePem } = await makeCertificate(wish);
  const { raw, fingerprint256 } = new X509Certificate(certificatePem);
  // Only these two are read of what Node tells of a peer's certificate.
  return { sslPeerCertificate: { raw, fingerprint256 } } as unknown as AuthContext;
}

function authenticator(clock = new FakeClock(Date.now())) {
  return certificateAuthenticator(defaultRolePatterns, clock);
}

const refused = (message: RegExp) =>
  expect.objectContaining({ code: status.UNAUTHENTICATED, message: expect.stringMatching(message) });

describe('a client certificate', () => {
  it('gives the roles that its names match, among others that do not', async () => {
    const context = await contextWith({
      usages: ['clientAuth'],
      uris: ['urn:x', viewer],
      dns: ['a.example.net'],
    });
    expect(authenticator().rolesOf(context)).toEqual(new Set(['viewer']));
  });

  it('without a name that matches gives none', async () => {
    const context = await contextWith({ usages: ['serverAuth', 'clientAuth'], dns: [viewer] });
    expect(authenticator().rolesOf(context)).toEqual(new Set());
  });

  it.each([undefined, [], ['serverAuth']] as const)('needs clientAuth: %j', async (usages) => {
    const context = await contextWith({ uris: [viewer], ...(usages?.length && { usages }) });
    const act = () => authenticator().rolesOf(context);
    expect(act).toThrow(refused(/lacks the extended key usage clientAuth/));
  });

  it('is judged at the moment of each call', async () => {
    const clock = new FakeClock(Date.now());
    const { rolesOf } = authenticator(clock);
    const context = await contextWith({ usages: ['clientAuth'], uris: [viewer] });
    expect(rolesOf(context).size).toBe(1);
    clock.jumpWall(31 * dayMs);
    expect(() => rolesOf(context)).toThrow(refused(/expired at /));
    clock.jumpWall(-60 * dayMs);
    expect(() => rolesOf(context)).toThrow(refused(/not valid before /));
  });

  it('is needed', () => {
    expect(() => authenticator().rolesOf({})).toThrow(refused(/a client certificate .* is needed/));
  });

  it('that cannot be read counts for nothing', () => {
    const context = {
      sslPeerCertificate: { raw: Buffer.of(1, 2), fingerprint256: 'x' },
    } as unknown as AuthContext;
    expect(() => authenticator().rolesOf(context)).toThrow(refused(/cannot be read/));
  });

  it('may be one of more than are remembered', async () => {
    const { rolesOf } = authenticator();
    const context = await contextWith({ usages: ['clientAuth'], uris: [viewer] });
    const raw = context?.sslPeerCertificate?.raw;
    for (let each = 0; each < 150; each++) {
      const copy = { sslPeerCertificate: { raw, fingerprint256: `${each}` } } as unknown as AuthContext;
      expect(rolesOf(copy)).toEqual(new Set(['viewer']));
    }
    expect(rolesOf(context)).toEqual(new Set(['viewer']));
  });
});
