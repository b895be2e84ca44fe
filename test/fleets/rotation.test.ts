// Everything that a site trusts is changed while its nodes are provisioned, each thing several times or in several
// steps, as docs/operations.md tells operators to do it ("Changing keys and certificates").

import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Stack } from '../../cli/launch/stack.js';
import { startAnotherSwarm } from '../e2e/another-swarm.js';
import { isSignedBy, issuerInChain, openCompactToken, publicKeyOf } from '../e2e/compact-tokens.js';
import { untilConfirmed } from '../e2e/confirmed.js';
import { LogLines } from '../e2e/log-lines.js';
import { filesOfNodes } from '../e2e/node-files.js';
import { connectDiscovery, listNodes, NodeWatch } from '../e2e/node-watch.js';
import { mixedStamps, nodesOnDisk, notWhole } from '../e2e/nodes-on-disk.js';
import { RotatingIssuer } from '../e2e/rotating-issuer.js';
import { makeCertificates, RotatingTrust, replaceFile, tlsPathsIn } from '../e2e/rotating-trust.js';
import { scratchFolder } from '../e2e/scratch-folder.js';
import { prepareStack, testHelper } from '../e2e/workspace.js';

/** Those that were there before anything changed, those of the middle, and those that know only what is new. */
const swarms = { node: 200, middle: 180, late: 120 };
const all = swarms.node + swarms.middle + swarms.late;

/** A tenth of it on a quiet machine with two cores. */
const patienceMs = 240_000;

/** Boots cost less: what is in question here is not the nodes' own certificates. */
const sharing = ['--share-certificate'];

const halfOf = (text: string) => text.slice(0, text.length / 2);

/** What the services say of it. */
const cannotSign = 'server tokens cannot be signed';
const canSign = 'server tokens can be signed again';
const secretsRead = 'has changed and was read again';
const tlsInUse = 'the TLS files have changed and are in use';
const tlsUnusable = 'the TLS files have changed and cannot be used';

class Rotations {
  readonly #stack: Stack;
  readonly #trust: RotatingTrust;
  readonly #issuer: RotatingIssuer;
  readonly #discovery: LogLines;
  readonly #provisioner: LogLines;

  constructor(stack: Stack, trust: RotatingTrust, issuer: RotatingIssuer) {
    this.#stack = stack;
    this.#trust = trust;
    this.#issuer = issuer;
    this.#discovery = new LogLines(stack.logFile('discovery'));
    this.#provisioner = new LogLines(stack.logFile('provisioner'));
  }

  /** Key and token that sign, one after the other: between them they do not fit together, and runs wait. */
  async changeIssuer(): Promise<void> {
    const { pair, token } = this.#issuer.next();
    const { jwt_signing_key: key, jwt_signing_token: chain } = this.#issuer.paths;
    await this.#provisioner.untilSaid(cannotSign, () =>
      this.#provisioner.untilSaid('waits for signing credentials', () => replaceFile(key, pair.seed)),
    );
    await this.#provisioner.untilSaid(canSign, () => replaceFile(chain, token));
  }

  /** The same, written in place, half of the key at first. */
  async changeIssuerInPlace(): Promise<void> {
    const { pair, token } = this.#issuer.next();
    const { jwt_signing_key: key, jwt_signing_token: chain } = this.#issuer.paths;
    await this.#provisioner.untilSaid(cannotSign, () => writeFileSync(key, halfOf(pair.seed)));
    await this.#provisioner.untilSaid(cannotSign, () => writeFileSync(key, pair.seed));
    await this.#provisioner.untilSaid(canSign, () => writeFileSync(chain, token));
  }

  /** The key that provisioning tokens are verified with stays the same, and is written in another form. */
  async rewriteVerificationKey(): Promise<void> {
    const { verificationKey: path, verificationKeyPem: pem } = this.#trust;
    await this.#discovery.untilSaid('is no key to verify with', () => writeFileSync(path, halfOf(pem)));
    writeFileSync(path, pem);
  }

  async setSecrets(secrets: readonly string[]): Promise<void> {
    await this.#provisioner.untilSaid(secretsRead, () => this.#trust.setSecrets(secrets));
  }

  async renewCertificates(): Promise<void> {
    await this.#untilTlsInUse(() => this.#trust.renewCertificates());
  }

  /** Half a certificate is left alone. */
  async renewCertificateInPlace(member: 'discovery' | 'provisioner', from: string): Promise<void> {
    const certificate = readFileSync(tlsPathsIn(from, member).cert, 'utf8');
    const log = member === 'discovery' ? this.#discovery : this.#provisioner;
    const { cert } = this.#trust.tlsPaths(member);
    await log.untilSaid(tlsUnusable, () => writeFileSync(cert, halfOf(certificate)));
    await log.untilSaid(tlsInUse, () => this.#trust.takeCertificate(member, from));
  }

  async setAuthorities(pem: string): Promise<void> {
    await this.#untilTlsInUse(() => this.#trust.setAuthorities(pem));
  }

  /** @returns what the log says of watches that were lost; empty where none was */
  lostWatches(): number {
    return this.#provisioner.count('a discovery service; trying again');
  }

  /** How often the provisioner's watch was opened. */
  openedWatches(): number {
    return this.#provisioner.count('"watching a discovery service"');
  }

  get lost() {
    return this.#stack.lost?.service;
  }

  async #untilTlsInUse(act: () => Promise<void>): Promise<void> {
    await this.#discovery.untilSaid(tlsInUse, () => this.#provisioner.untilSaid(tlsInUse, act));
  }
}

/** @returns why runs failed, but for those whose node was too busy to shake hands: that is the machine's doing */
function failedRuns(stack: Stack): string[] {
  return readFileSync(stack.logFile('provisioner'), 'utf8')
    .split('\n')
    .filter((line) => line.includes('run finished: FAILED') && !line.includes('no TLS handshake within'));
}

test('rotating the signing key, the token and the TLS certificates while 500 nodes are being provisioned loses none', {
  timeout: patienceMs + 60_000,
}, async () => {
  const folder = scratchFolder();
  const issuer = new RotatingIssuer(folder);
  const stack = await prepareStack({
    nodes: swarms.node,
    tls: 'required',
    features: { ed25519: true },
    helper: testHelper('stamped.sh'),
    // On a busy machine too, what fails here fails by what has changed, not by the clock.
    provisioner: { ...issuer.paths, workers: 8, identify_timeout: '30s', rpc_timeout: '30s' },
    swarm: [...sharing, '--start-within', '8s'],
  });
  const trust = new RotatingTrust(stack);
  const rotations = new Rotations(stack, trust, issuer);
  const [oldSecret = ''] = trust.secrets;
  const newSecret = randomBytes(32).toString('base64url');
  const oldCa = trust.authorities;
  const newSite = join(folder, 'new-ca');
  await makeCertificates(newSite);
  const newCa = readFileSync(join(newSite, 'ca.pem'), 'utf8');
  const files = {
    bundle: join(folder, 'both.pem'),
    middle: join(folder, 'middle.jwt'),
    late: join(folder, 'late.jwt'),
  };
  writeFileSync(files.bundle, oldCa + newCa);
  await trust.makeProvisioningToken(files.middle, newSecret);
  await trust.makeProvisioningToken(files.late, newSecret, newCa);

  await stack.start('discovery');
  await stack.start('provisioner');
  const watch = await NodeWatch.open(await connectDiscovery(stack, trust.tlsPaths('viewer')));
  await stack.start('mock-node', { untilReady: false });

  await untilConfirmed(stack, 10, patienceMs);
  await rotations.changeIssuer();
  await rotations.renewCertificates();
  await rotations.rewriteVerificationKey();
  await rotations.setSecrets([newSecret, oldSecret]);
  const middle = await startAnotherSwarm(stack, {
    name: 'middle',
    nodes: swarms.middle,
    flags: [...sharing, '--jwt-file', files.middle, '--ca', files.bundle, '--start-within', '8s'],
  });
  await rotations.changeIssuerInPlace();
  await rotations.setAuthorities(oldCa + newCa);
  await rotations.renewCertificateInPlace('provisioner', newSite);

  await watch.untilProvisioned('node-', swarms.node, patienceMs);
  await rotations.renewCertificateInPlace('discovery', newSite);
  await rotations.setSecrets([newSecret]);
  const late = await startAnotherSwarm(stack, {
    name: 'late',
    nodes: swarms.late,
    flags: [...sharing, '--jwt-file', files.late, '--start-within', '4s'],
  });
  await rotations.changeIssuer();
  await rotations.setAuthorities(newCa);
  await untilConfirmed(stack, all, patienceMs);

  expect(watch.fault).toBe('');
  expect([rotations.openedWatches(), rotations.lostWatches(), rotations.lost]).toEqual([1, 0, undefined]);
  const samples = await stack.metrics('provisioner');
  expect(samples?.sum('slipway_provisioner_discovery_connected')).toBe(1);
  const { FAILED: _, ...others } = Object.fromEntries(
    samples?.sumBy('outcome', 'slipway_provisioner_runs_total') ?? [],
  );
  expect(others).toEqual({ PROVISIONED: all });
  expect(failedRuns(stack)).toEqual([]);

  const signers = new Set<string>();
  for (const swarm of [stack, middle, late]) {
    const states = await nodesOnDisk(swarm);
    expect(notWhole(states)).toEqual([]);
    expect([...states].filter(([, { configurations }]) => configurations !== 1)).toEqual([]);
    expect(await mixedStamps(swarm, states)).toEqual([]);
    for (const node of filesOfNodes(swarm)) {
      const token = openCompactToken(node.read('server.jwt'));
      const signer = issuerInChain(token, issuer.organisation.publicKey);
      expect([node.identity, isSignedBy(token, signer)]).toEqual([node.identity, true]);
      expect(token.claims.public_key).toBe(publicKeyOf(node.read('server.seed')));
      signers.add(signer);
    }
  }
  expect([...signers].sort()).toEqual([...issuer.publicKeys].sort());

  await listNodes(await connectDiscovery(stack, tlsPathsIn(newSite, 'viewer')));
  const outdated = { ...trust.tlsPaths('viewer'), ca: files.bundle };
  await expect(listNodes(await connectDiscovery(stack, outdated))).rejects.toThrow('client certificate');
});
