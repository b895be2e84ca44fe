import { createPrivateKey, generateKeyPairSync, X509Certificate } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { issueCertificate } from '../../../shared/trust/issue-certificate.js';
import { certificateSha256, signReport } from '../../../shared/trust/report-envelope.js';
import { TrustError } from '../../../shared/trust/trust-error.js';
import { FakeClock } from '../../../test/fakes/fake-clock.js';
import { type Envelope, ReportTrust } from './trust.js';

const report = Buffer.from('what a node says');
const none: Buffer = Buffer.of();
const sentinel = 'eyJhbGciOiJFZERTQSJ9.the-token.of-the-site';

let certificate: Buffer = none;
let signature: Buffer = none;

beforeAll(async () => {
  const issued = await issueCertificate({
    commonName: 'a.example',
    notBefore: new Date(0),
    notAfter: new Date('2031-01-01'),
  });
  certificate = Buffer.from(new X509Certificate(issued.certificatePem).raw);
  signature = signReport(report, createPrivateKey(issued.keyPem));
});

/** Tokens of which one is good, until it expires. */
const tokens = {
  verify: async (token: string, now: number) => {
    if (token !== sentinel) throw new TrustError('SIGNATURE', 'it is signed by another key');
    if (now > Date.UTC(2030, 0, 1, 1) / 1000) throw new TrustError('EXPIRED', 'it expired at 01:00');
    return {} as never;
  },
};

function trust(options: { readonly certificateNeeded?: boolean; readonly tokens?: typeof tokens } = {}) {
  const clock = new FakeClock();
  const checked = new ReportTrust({ clock, certificateNeeded: true, tokens: undefined, ...options });
  const check = (over: Partial<Envelope> = {}) =>
    checked.check({ report, certificate, signature, authorization: [], ...over });
  return { clock, check };
}

describe('a report', () => {
  it('signed by the key of its certificate is from the boot of that certificate', async () => {
    expect(await trust().check()).toEqual({
      kind: 'TRUSTED',
      certificateSha256: certificateSha256(certificate),
    });
  });

  it.each<[string, () => Partial<Envelope>]>([
    ['with neither certificate nor signature', () => ({ certificate: none, signature: none })],
    ['without a signature', () => ({ signature: none })],
    ['without a certificate', () => ({ certificate: none })],
    ['whose bytes are others', () => ({ report: Buffer.from('what somebody else says') })],
    ['whose certificate is none', () => ({ certificate: Buffer.from('junk') })],
    [
      'with something after its certificate',
      () => ({ certificate: Buffer.concat([certificate, none, report]) }),
    ],
    ['whose signature is another', () => ({ signature: Buffer.alloc(signature.length, 7) })],
    [
      'signed by another key',
      () => ({ signature: signReport(report, generateKeyPairSync('ed25519').privateKey) }),
    ],
  ])('%s is refused', async (_what, over) => {
    const outcome = await trust().check(over());
    expect(outcome).toMatchObject({ kind: 'REFUSED', reason: 'SIGNATURE_INVALID' });
  });

  it('needs no certificate without encryption; one that it has is verified all the same', async () => {
    const { check } = trust({ certificateNeeded: false });
    const bare = { certificate: none, signature: none };
    expect(await check(bare)).toEqual({ kind: 'TRUSTED', certificateSha256: '' });
    expect(await check()).toMatchObject({ kind: 'TRUSTED' });
    expect(await check({ signature: none })).toMatchObject({ reason: 'SIGNATURE_INVALID' });
    expect(await check({ certificate: none })).toMatchObject({ reason: 'SIGNATURE_INVALID' });
  });
});

describe('the token of a report', () => {
  it('is looked at where tokens are checked, also without encryption', async () => {
    const { check } = trust({ tokens, certificateNeeded: false });
    const bare = { certificate: none, signature: none };
    const good = { kind: 'TRUSTED' };
    expect(await check({ authorization: [`Bearer ${sentinel}`] })).toMatchObject(good);
    expect(await check({ authorization: [`bearer  ${sentinel}`], ...bare })).toMatchObject(good);
    expect(await check(bare)).toMatchObject({ reason: 'TOKEN_INVALID' });
    expect(await trust().check({ authorization: ['Bearer other'] })).toMatchObject(good);
  });

  it.each([
    [[], /without a provisioning token/],
    [[sentinel], /the word Bearer/],
    [['Bearer '], /the word Bearer/],
    [[`Basic ${sentinel}`], /the word Bearer/],
    [[`Bearer ${sentinel}`, `Bearer ${sentinel}`], /must be one/],
    [[`Bearer ${sentinel} more`], /the word Bearer/],
    [[`Bearer x${sentinel}`], /it is signed by another key/],
  ])('is refused where it is %j; the message says why, and never the token', async (authorization, why) => {
    const outcome = await trust({ tokens }).check({ authorization });
    expect(outcome).toMatchObject({ reason: 'TOKEN_INVALID', message: expect.stringMatching(why) });
    expect(JSON.stringify(outcome)).not.toContain(sentinel);
  });

  it('is good for as long as it says', async () => {
    const { clock, check } = trust({ tokens });
    await clock.advance(3_700_000);
    expect(await check({ authorization: [`Bearer ${sentinel}`] })).toMatchObject({
      message: 'it expired at 01:00',
    });
  });

  it('is not looked at where the signature is wrong', async () => {
    const outcome = await trust({ tokens }).check({ signature: none, authorization: [] });
    expect(outcome).toMatchObject({ reason: 'SIGNATURE_INVALID' });
  });
});
