// Nodes that lie: each is refused for its own reason, and nothing else is harmed.

import { createHash, createHmac } from 'node:crypto';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ProvisionerApp } from '../../services/provisioner/app.js';
import {
  type GenerateEd25519KeyRequest,
  GetInventoryResponse,
  GetJwtResponse,
} from '../../shared/gen/slipway/node/v1/node.js';
import { Secret } from '../../shared/secret.js';
import { verifyServerToken } from '../../shared/trust/server-token.js';
import { makeCertificate } from '../fakes/certificates.js';
import { eventMessage, synced, wireNode } from '../fakes/fake-discovery.js';
import type { FakeNode, FakeNodes } from '../fakes/fake-nodes.js';
import { SiteKeys } from '../fakes/site-keys.js';
import { isServing, metric, Site, sighting, startDiscovery, startNodes } from './provisioner-support.js';

const keys = new SiteKeys();
const now = Math.floor(Date.now() / 1000);
const honestToken = await keys.token(now);

/** Makes a node lie. */
type Lie = (node: FakeNode) => Promise<void> | void;

function token(make: () => Promise<string> | string): Lie {
  return async (node) => {
    node.keys.jwt = await make();
  };
}

function answers(call: string, answer: object): Lie {
  return (node) => {
    node.answers.set(call, answer);
  };
}

/** The reply of a key whose challenge is another one. */
function proves(
  change: (challenge: readonly [string, string, Uint8Array]) => [string, string, Uint8Array],
): Lie {
  return (node) => {
    node.answers.set('GenerateEd25519Key', ({ nonce }: GenerateEd25519KeyRequest, runId: string) =>
      node.keys.generateKey(...change([node.identity, runId, nonce])),
    );
  };
}

function forged(header: object, sign: (signed: string) => string): string {
  const [, payload = ''] = honestToken.split('.');
  const signed = `${Buffer.from(JSON.stringify(header)).toString('base64url')}.${payload}`;
  return `${signed}.${sign(signed)}`;
}

function hs256(signed: string): string {
  return createHmac('sha256', Buffer.from(keys.publicKey, 'hex')).update(signed).digest('base64url');
}

function jwtReply(over: Partial<GetJwtResponse>): Buffer {
  const reply = { jwt: honestToken, ecdhPublic: Buffer.alloc(32, 9), ...over };
  return Buffer.from(GetJwtResponse.encode(reply).finish());
}

/** As large as it may well be sent: 64 MiB. */
function hugeInventory(): Buffer {
  const reply = GetInventoryResponse.fromPartial({ factsJson: `{"a":"${'x'.repeat(64 << 20)}"}` });
  return Buffer.from(GetInventoryResponse.encode(reply).finish());
}

const lies: Record<string, { readonly lie: Lie; readonly reason: string }> = {
  'key-of-31-bytes': {
    lie: answers('GenerateEd25519Key', { publicKey: Buffer.alloc(31) }),
    reason: 'REPLY_INVALID',
  },
  'signature-of-63-bytes': {
    lie: answers('GenerateEd25519Key', { signature: Buffer.alloc(63) }),
    reason: 'REPLY_INVALID',
  },
  'key-of-low-order': {
    lie: answers('GenerateEd25519Key', { publicKey: Buffer.alloc(32), signature: Buffer.alloc(64) }),
    reason: 'KEY_PROOF_INVALID',
  },
  'directory-with-line-break': {
    lie: answers('GenerateEd25519Key', { directory: '/etc/node\nplugin.x=y' }),
    reason: 'REPLY_INVALID',
  },
  'another-nonce': {
    lie: proves(([identity, runId]) => [identity, runId, createHash('sha256').digest()]),
    reason: 'KEY_PROOF_INVALID',
  },
  'another-run': {
    lie: proves(([identity, , nonce]) => [identity, '01890a5d-ac96-774b-bcce-b302099a8057', nonce]),
    reason: 'KEY_PROOF_INVALID',
  },
  'reply-of-another-node': {
    lie: proves(([, runId, nonce]) => ['honest1.example.net', runId, nonce]),
    reason: 'KEY_PROOF_INVALID',
  },
  'token-of-another-issuer': { lie: token(() => new SiteKeys().token(now)), reason: 'TOKEN_INVALID' },
  'token-without-algorithm': {
    lie: token(() => forged({ alg: 'none', typ: 'JWT' }, () => '')),
    reason: 'TOKEN_INVALID',
  },
  'token-keyed-with-public-key': {
    lie: token(() => forged({ alg: 'HS256', typ: 'JWT' }, hs256)),
    reason: 'TOKEN_INVALID',
  },
  'expired-token': { lie: token(() => keys.token(now, { expiresAt: now - 1 })), reason: 'TOKEN_INVALID' },
  'token-of-another-secret': {
    lie: token(() => keys.token(now, { secret: new Secret('other') })),
    reason: 'SECRET_MISMATCH',
  },
  'endless-token': {
    lie: answers('GetJwt', jwtReply({ jwt: 'x'.repeat(3 << 20) })),
    reason: 'MESSAGE_TOO_LARGE',
  },
  'exchange-of-low-order': {
    lie: answers('GetJwt', jwtReply({ ecdhPublic: Buffer.alloc(32) })),
    reason: 'REPLY_INVALID',
  },
  'exchange-of-31-bytes': {
    lie: answers('GetJwt', jwtReply({ ecdhPublic: Buffer.alloc(31, 9) })),
    reason: 'REPLY_INVALID',
  },
  'huge-inventory': { lie: answers('GetInventory', hugeInventory()), reason: 'MESSAGE_TOO_LARGE' },
  'no-key-to-make': {
    lie: (node) => {
      node.features = { ...node.features, ed25519: false };
    },
    reason: 'FEATURE_MISSING',
  },
};

/** Each node's run has ended; @returns the log line of its end */
function endOf(site: Site, { identity }: { readonly identity: string }) {
  return site.line((line) => line.identity === identity && String(line.msg).startsWith('run finished'));
}

async function isLetGo(app: ProvisionerApp, nodes: FakeNodes): Promise<void> {
  // A channel that is closed has a quarter of a second to let go of its socket.
  await expect.poll(() => nodes.sockets.size, { timeout: 5_000 }).toBe(0);
  expect(await metric(app, 'busy_workers')).toBe(0);
  expect(await isServing(app)).toBe(true);
}

async function start(settings: Readonly<Record<string, unknown>>) {
  const [site, discovery] = [new Site(), await startDiscovery()];
  const nodes = await startNodes(await makeCertificate({ name: 'nodes' }));
  site.write('signing.seed', `${keys.seed}\n`);
  const app = await site.start([discovery.address], {
    // So few that a liar who kept one would be noticed.
    workers: 2,
    token: 's3cret',
    jwt_verify_cert: keys.publicKey,
    jwt_signing_key: join(site.folder, 'signing.seed'),
    ...settings,
  });
  return { site, discovery, nodes, app };
}

describe('nodes that lie', () => {
  it('of tokens and keys are refused, each for its own reason, and others are provisioned between them', async () => {
    const { site, discovery, nodes, app } = await start({ features: { ed25519: true } });
    const fleet = await Promise.all(
      Object.entries(lies).map(async ([name, { lie, reason }], index) => {
        const liar = nodes.add(`${name}.example.net`);
        const honest = nodes.add(`honest${index}.example.net`);
        for (const node of [liar, honest]) node.keys.jwt = honestToken;
        await lie(liar);
        return { liar, honest, reason };
      }),
    );
    await discovery.watched(1);
    for (const { liar, honest } of fleet) {
      discovery.send(sighting(nodes, liar));
      discovery.send(sighting(nodes, honest));
    }
    for (const { liar, honest, reason } of fleet) {
      const ended = await endOf(site, liar);
      expect([liar.identity, ended.outcome, ended.reason]).toEqual([liar.identity, 'FAILED', reason]);
      expect(liar.configurationJson).toBe('');
      expect((await endOf(site, honest)).outcome).toBe('PROVISIONED');
      const minted = await verifyServerToken(honest.serverJwt, keys.verificationKey, Date.now() / 1000);
      expect(minted).toMatchObject({ identity: honest.identity, publicKey: honest.keys.publicKey });
    }
    await isLetGo(app, nodes);
    const said = JSON.stringify(site.lines);
    expect(said).not.toContain('s3cret');
    expect(said).not.toContain(honestToken.slice(-40));
    expect(said).not.toContain(keys.seed);
  });

  it('of their certificate requests are refused', async () => {
    const { site, discovery, nodes, app } = await start({ features: { jwt: true, pki: true } });
    const garbage = nodes.add('garbage.example.net');
    garbage.answers.set('GenerateCsr', { csrPem: 'garbage' });
    const binary = nodes.add('binary.example.net');
    binary.answers.set('GenerateCsr', {
      csrPem: `-----BEGIN CERTIFICATE REQUEST-----\n${'A'.repeat(64)}\n-----END CERTIFICATE REQUEST-----\n`,
    });
    const another = nodes.add('another.example.net');
    const make = another.keys.generateCsr.bind(another.keys);
    another.keys.generateCsr = () => make('honest.example.net');
    const denied = nodes.add('bob.mcollective');
    const honest = nodes.add('honest.example.net');
    await discovery.watched(1);
    for (const node of [garbage, binary, another, denied, honest]) {
      node.keys.jwt = honestToken;
      discovery.send(sighting(nodes, node));
    }
    for (const liar of [garbage, binary, another]) {
      expect(await endOf(site, liar)).toMatchObject({ outcome: 'FAILED', reason: 'CSR_INVALID' });
    }
    expect(await endOf(site, denied)).toMatchObject({ outcome: 'FAILED', reason: 'CSR_DENIED' });
    expect((await endOf(site, honest)).outcome).toBe('PROVISIONED');
    await isLetGo(app, nodes);
  });

  it('of who they are are not spoken to: a peer with another certificate hears nothing', async () => {
    const { site, discovery, nodes, app } = await start({ features: { jwt: true } });
    const impostor = nodes.add('impostor.example.net');
    await discovery.watched(1);
    const node = wireNode({
      identity: impostor.identity,
      address: nodes.addressOf(impostor),
      certificateSha256: createHash('sha256').update('the real one').digest(),
    });
    discovery.send(eventMessage({ node }));
    discovery.send(synced());
    expect(await endOf(site, impostor)).toMatchObject({ outcome: 'SUPERSEDED' });
    expect(impostor.calls).toEqual([]);
    await expect.poll(() => nodes.sockets.size, { timeout: 5_000 }).toBe(0);
    expect(await metric(app, 'rpc_errors_total', 'Identify', 'UNAVAILABLE')).toBeGreaterThan(0);
  });

  it('by showing no certificate are not dialled where TLS is required for them', async () => {
    const { site, discovery, nodes } = await start({ features: { jwt: true } });
    // Known by a certificate, and speaking in the clear.
    const plain = await startNodes();
    const liar = plain.add('plain.example.net');
    await discovery.watched(1);
    const node = wireNode({
      identity: liar.identity,
      address: plain.addressOf(liar),
      certificateSha256: Buffer.from(nodes.certificateSha256, 'hex'),
    });
    discovery.send(eventMessage({ node }));
    expect(await endOf(site, liar)).toMatchObject({ outcome: 'FAILED', reason: 'UNREACHABLE' });
    expect(liar.calls).toEqual([]);
  });
});
