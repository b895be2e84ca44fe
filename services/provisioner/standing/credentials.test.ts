import { expect, it } from 'vitest';
import { credentialStandings } from './credentials.js';

const certificate = { current: { expiresAt: 5_000 }, whyExpired: undefined };
const signer = { expiresAt: 7, lastSeen: undefined };

it('there are none without TLS and signing', () => {
  const none = { certificate: undefined, signer: undefined, hasSigningToken: false };
  expect(credentialStandings(none)).toEqual([]);
});

it('each has the name of its setting and the moment of its end', () => {
  expect(credentialStandings({ certificate, signer, hasSigningToken: true })).toEqual([
    { name: 'tls.cert', expiresAt: 5_000, whyNot: undefined },
    { name: 'jwt_signing_key', expiresAt: undefined, whyNot: undefined },
    { name: 'jwt_signing_token', expiresAt: 7_000, whyNot: undefined },
  ]);
});

it('what cannot be used says why, and the others are not blamed', () => {
  const lastSeen = {
    kind: 'UNUSABLE',
    setting: 'jwt_signing_token',
    why: '/signer.jwt: it has expired; renew it',
  } as const;
  const expired = { ...certificate, whyExpired: 'it expired' };
  const standings = credentialStandings({
    certificate: expired,
    signer: { expiresAt: 7, lastSeen },
    hasSigningToken: true,
  });
  expect(standings.map(({ name, whyNot }) => [name, whyNot])).toEqual([
    ['tls.cert', 'it expired'],
    ['jwt_signing_key', undefined],
    ['jwt_signing_token', lastSeen.why],
  ]);
});
