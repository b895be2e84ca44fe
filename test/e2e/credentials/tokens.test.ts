// Fleets whose nodes prove themselves with tokens that Slipway signs, set up by the example helper as it is. What the
// nodes hold afterwards is verified by hand (compact-tokens.ts) and with OpenSSL.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Stack } from '../../../cli/launch/stack.js';
import {
  type CompactToken,
  ed25519PublicKey,
  isSignedBy,
  issuerInChain,
  newEd25519Pair,
  newSigningToken,
  openCompactToken,
  publicKeyOf,
  secondsOfKsuid,
} from '../compact-tokens.js';
import { untilConfirmed } from '../confirmed.js';
import { loggedOf, secretsOf } from '../logged.js';
import { filesOfNodes, type NodeFiles } from '../node-files.js';
import { nodesOnDisk, notWhole } from '../nodes-on-disk.js';
import { scratchFolder } from '../scratch-folder.js';
import { exampleHelper, prepareStack } from '../workspace.js';
import { needsOpenssl, needsProgram, openssl } from './openssl.js';

const nodes = 40;
const yearSeconds = 365 * 86_400;
const daySeconds = 86_400;

/** A site that signs tokens: what the provisioner is given for it, and what tokens are verified with. */
interface Site {
  /** Hex public key that all trust begins with. */
  readonly organisation: string;
  readonly settings: Readonly<Record<string, string>>;
  /** Undefined where the organisation's key signs nodes' tokens itself. */
  readonly chain:
    | { readonly issuer: string; readonly expiresAt: number; readonly signingToken: string }
    | undefined;
}

function plainSite(folder: string): Site {
  const { seed, publicKey } = newEd25519Pair();
  const settings = { jwt_signing_key: join(folder, 'organisation.seed') };
  writeFileSync(settings.jwt_signing_key, seed);
  return { organisation: publicKey, settings, chain: undefined };
}

/** The organisation's key is elsewhere: it has signed for the key that signs here, for less than a year. */
function chainedSite(folder: string): Site {
  const [organisation, issuer] = [newEd25519Pair(), newEd25519Pair()];
  const now = Math.floor(Date.now() / 1000);
  const expiresAt = now + 90 * daySeconds;
  const signingToken = newSigningToken(organisation, issuer, expiresAt, now);
  const settings = {
    jwt_signing_key: join(folder, 'issuer.seed'),
    jwt_signing_token: join(folder, 'issuer.jwt'),
  };
  writeFileSync(settings.jwt_signing_key, issuer.seed);
  writeFileSync(settings.jwt_signing_token, signingToken);
  return {
    organisation: organisation.publicKey,
    settings,
    chain: { issuer: issuer.publicKey, expiresAt, signingToken },
  };
}

/** Starts a fleet of that site with the example helper, and resolves when all its nodes are up. */
async function provision(site: Site, folder: string, helper: string): Promise<Stack> {
  const issuerFile = join(folder, 'issuer.public');
  writeFileSync(issuerFile, site.organisation);
  const stack = await prepareStack({
    nodes,
    tls: 'required',
    features: { ed25519: true },
    helper: exampleHelper(helper, { ORG_ISSUER_FILE: issuerFile }),
    discovery: { interval: '5s', loglevel: 'debug' },
    provisioner: { ...site.settings, interval: '5s', loglevel: 'debug' },
    swarm: ['--loglevel', 'debug'],
  });
  await stack.startAll();
  await untilConfirmed(stack, nodes, 100_000);
  return stack;
}

const claimsInOrder = [
  ...['identity', 'collectives', 'permissions', 'ou', 'purpose', 'tcs', 'public_key', 'issexp', 'iss'],
  ...['exp', 'nbf', 'iat', 'jti'],
];

/** The token is one of the site, for the key that the node holds. */
function expectTokenOf(site: Site, node: NodeFiles): CompactToken {
  const token = openCompactToken(node.read('server.jwt'));
  const { chain } = site;
  const { claims } = token;
  const { iat, iss, tcs, jti } = claims;
  const now = Date.now() / 1000;
  expect(token.header).toEqual({ alg: 'EdDSA', typ: 'JWT' });
  expect(claims).toEqual({
    identity: node.identity,
    collectives: ['choria'],
    permissions: { streams: true, submission: true },
    ou: 'choria',
    purpose: 'choria_server',
    public_key: publicKeyOf(node.read('server.seed')),
    ...(chain ? { issexp: chain.expiresAt, tcs, iss } : { iss: 'Choria Provisioner' }),
    exp: chain ? chain.expiresAt : Number(iat) + yearSeconds,
    nbf: iat,
    iat,
    jti,
  });
  expect(Object.keys(claims)).toEqual(claimsInOrder.filter((name) => Object.hasOwn(claims, name)));
  expect(iat).toBeGreaterThan(now - 300);
  expect(iat).toBeLessThanOrEqual(now);
  expect(secondsOfKsuid(String(jti))).toBe(iat);
  const signer = chain ? issuerInChain(token, site.organisation) : site.organisation;
  expect(isSignedBy(token, signer)).toBe(true);
  if (chain) expectChain(token, chain);
  return token;
}

/** It goes on from the very token that was to sign. */
function expectChain({ claims }: CompactToken, chain: NonNullable<Site['chain']>): void {
  const { claims: ofIssuer } = openCompactToken(chain.signingToken);
  expect(claims.iss).toBe(`C-${ofIssuer.jti}.${chain.issuer}`);
  expect(String(claims.tcs).split('.')[0]).toBe(ofIssuer.tcs);
}

function expectSettings(site: Site, node: NodeFiles): void {
  expect(node.settings()).toEqual({
    identity: node.identity,
    'plugin.choria.server.provision': 'false',
    'plugin.security.provider': 'choria',
    'plugin.security.issuer.names': 'choria',
    'plugin.security.issuer.choria.public': site.organisation,
    'plugin.security.choria.token_file': node.path('server.jwt'),
    'plugin.security.choria.seed_file': node.path('server.seed'),
    'plugin.choria.middleware_hosts': 'broker.example.net:4222',
    collectives: 'choria',
    registerinterval: '300',
  });
}

/** @returns what openssl says of the signature of a token, given that public key, hex */
function opensslVerifies({ signed, signature }: CompactToken, publicKey: string): string {
  const folder = scratchFolder();
  const file = (name: string, content: string | Buffer) => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  };
  const key = file('key.pem', ed25519PublicKey(publicKey).export({ type: 'spki', format: 'pem' }));
  return openssl([
    ...['pkeyutl', '-verify', '-rawin', '-pubin', '-inkey', key],
    ...['-in', file('signed', signed), '-sigfile', file('signature', signature)],
  ]).text;
}

const fleets = [
  {
    signed: "by the organisation's key",
    siteIn: plainSite,
    language: 'Python',
    helper: 'org-issuer.py',
    program: 'python3',
  },
  {
    signed: 'under a chain of issuers',
    siteIn: chainedSite,
    language: 'sh',
    helper: 'org-issuer.sh',
    program: 'sed',
  },
] as const;

for (const { signed, siteIn, language, helper, program } of fleets) {
  test(`tokens signed ${signed}, helper in ${language}: each node has a key and a token of its own`, async (context) => {
    needsProgram(context, program);
    const folder = scratchFolder();
    const site = siteIn(folder);
    const stack = await provision(site, folder, helper);

    expect(notWhole(await nodesOnDisk(stack))).toEqual([]);
    const files = filesOfNodes(stack);
    expect(files).toHaveLength(nodes);
    const tokens = files.map((node) => {
      expectSettings(site, node);
      expect([node.mode('server.seed'), node.mode('server.jwt')]).toEqual(['0600', '0600']);
      return expectTokenOf(site, node);
    });
    expect(new Set(tokens.map(({ claims }) => claims.jti)).size).toBe(nodes);
    const secrets = files.flatMap((node) => [node.read('server.seed'), node.read('server.jwt')]);
    expect(new Set(secrets).size).toBe(2 * nodes);
    expect(loggedOf(stack, [...secrets, ...secretsOf(stack)])).toEqual([]);

    needsOpenssl(context);
    const signer = site.chain?.issuer ?? site.organisation;
    for (const token of tokens.slice(0, 3)) {
      expect(opensslVerifies(token, signer)).toContain('Signature Verified Successfully');
      const other = { ...token, signed: Buffer.concat([token.signed, Buffer.from('x')]) };
      expect(opensslVerifies(other, signer)).toContain('Failure');
    }
  });
}
