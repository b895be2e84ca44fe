// jwt.json: provisioning tokens that a node presents, server tokens as others issued them, ids, and tokens to issue
// server tokens with.

import { z } from 'zod';
import { newKsuid } from '../../../shared/trust/ksuid.js';
import { verifyProvisioningToken } from '../../../shared/trust/provisioning-token.js';
import {
  createServerTokenIssuer,
  type ServerTokenClaims,
  verifyServerToken,
} from '../../../shared/trust/server-token.js';
import { parseVerificationKey } from '../../../shared/trust/verification-key.js';
import { checker, same, together, type Verdict, within } from '../checker.js';
import { provisioningFaults, serverFaults } from './token-faults.js';
import { accepted, refusedFor } from './trust-verdict.js';

const tokenCase = z.object({
  name: z.string(),
  token: z.string(),
  /** The form does not matter here: a setting that names a file and one that is the key are read alike. */
  key: z.object({ value: z.string() }),
  expected: z.enum(['accept', 'reject']),
});

const beside = z.object({
  now_unix: z.number(),
  keys: z.object({
    chain_signer_seed: z.string(),
    org_issuer_public: z.string(),
    node_public: z.string(),
  }),
  chain_issuer_token: z.string(),
});

type Beside = z.output<typeof beside>;

const provisioning = checker(
  tokenCase,
  ({ name }) => `provisioning: ${name}`,
  ({ token, key, expected }, { now_unix: now }) => {
    const verifying = () => verifyProvisioningToken(token, parseVerificationKey(key.value), now);
    if (expected === 'accept') return accepted(verifying);
    return refusedFor(provisioningFaults(token, key.value, now), verifying);
  },
  { cases: 'provisioning', shape: beside },
);

const server = checker(
  tokenCase,
  ({ name }) => `server: ${name}`,
  async ({ token, key, expected }, file) => {
    const verifying = () => verifyServerToken(token, parseVerificationKey(key.value), file.now_unix);
    if (expected === 'reject') {
      return refusedFor(serverFaults(token, key.value, file.now_unix), verifying);
    }
    const verdict = await accepted(verifying);
    return verdict.kind === 'PASSED' ? minted(token, await verifying(), file) : verdict;
  },
  { cases: 'server', shape: beside },
);

/** What is minted with the same id and claims under the same chain says the same, to the last signature. */
async function minted(
  token: string,
  { expiresAt, pubSubjects = [], permissions, ...claims }: Awaited<ReturnType<typeof verifyServerToken>>,
  { keys, chain_issuer_token: chain, now_unix: now }: Beside,
): Promise<Verdict> {
  const theirs = claimsOf(token);
  const { jti, public_key: issuerKey } = claimsOf(chain);
  if (theirs.iss !== `C-${jti}.${issuerKey}` || expiresAt === undefined) return { kind: 'PASSED' };
  const wanted: ServerTokenClaims = {
    ...claims,
    pubSubjects,
    ...(permissions && { permissions }),
    expiresAt,
  };
  const issuer = createServerTokenIssuer(keys.chain_signer_seed, chain, now, () => String(theirs.jti));
  return same(theirs, claimsOf(await issuer.mint(wanted, Number(theirs.iat))));
}

function claimsOf(token: string): Readonly<Record<string, unknown>> {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
}

const ids = checker(
  z.object({ unix: z.number(), payload_hex: z.string(), ksuid: z.string() }),
  ({ ksuid }) => `ksuid: ${ksuid}`,
  ({ unix, payload_hex: payload, ksuid }) => same(ksuid, newKsuid(unix, Buffer.from(payload, 'hex'))),
  { cases: 'ksuid' },
);

const issuing = within(
  beside.extend({ chain_issuer_token_expired: z.string() }),
  (file) => ({
    ...file,
    issuing: [
      { name: 'under the token of a chain', chain: file.chain_issuer_token, faults: [] },
      { name: 'under one that has expired', chain: file.chain_issuer_token_expired, faults: ['EXPIRED'] },
    ],
  }),
  checker(
    z.object({ name: z.string(), chain: z.string(), faults: z.array(z.literal('EXPIRED')) }),
    ({ name }) => `issuing: ${name}`,
    ({ chain, faults }, { keys, now_unix: now }) => {
      const claims: ServerTokenClaims = {
        identity: 'n1.example.net',
        publicKey: keys.node_public,
        ou: 'choria',
        collectives: ['choria'],
        expiresAt: now + 86_400,
      };
      const organization = parseVerificationKey(keys.org_issuer_public);
      const issueAndVerify = async () => {
        const token = await createServerTokenIssuer(keys.chain_signer_seed, chain, now).mint(claims, now);
        return verifyServerToken(token, organization, now);
      };
      return faults.length > 0 ? refusedFor(faults, issueAndVerify) : accepted(issueAndVerify);
    },
    { cases: 'issuing', shape: beside },
  ),
);

export const jwt = together(provisioning, server, ids, issuing);
