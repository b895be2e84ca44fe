// A site all of whose secrets can be recognised: what they are, in which files they stand, and what its nodes' helper
// answers with them.

import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Trust } from '../../../cli/launch/trust.js';
import { Secret } from '../../../shared/secret.js';
import {
  mintProvisioningToken,
  type NewProvisioningToken,
} from '../../../shared/trust/mint-provisioning-token.js';
import { parseSigningKey, signToken } from '../../../shared/trust/signing-key.js';
import { makeCertificate } from '../../fakes/certificates.js';
import { newEd25519Pair } from '../compact-tokens.js';
import type { RotatingIssuer } from '../rotating-issuer.js';
import { Mark } from './marks.js';

/** The texts: whatever is made of them holds them. */
const texts = {
  newest: Mark.text('the newest provisioning secret'),
  older: Mark.text('the older provisioning secret'),
  strange: Mark.text('a provisioning secret of somebody else'),
  password: Mark.text('the password in provisioning tokens'),
  setting: Mark.text('a value of a configuration'),
  policy: Mark.text('a policy'),
  broken: Mark.text('what a broken file or text holds'),
};

export class CanarySecrets {
  readonly texts = texts;
  readonly #trust: Trust;
  readonly #marks: Mark[] = Object.values(texts);

  constructor(trust: Trust, issuer: RotatingIssuer) {
    this.#trust = trust;
    const { organisation, paths } = issuer;
    this.#add("the organisation's key", Buffer.from(organisation.seed, 'hex'));
    this.#add('the key that signs provisioning tokens', this.#read(trust.signingKey));
    this.#add('the key that signs server tokens', this.#read(paths.jwt_signing_key));
    this.#addToken('the token of that key', readFileSync(paths.jwt_signing_token, 'utf8'));
    for (const name of readdirSync(trust.certificates).filter((file) => file.endsWith('-key.pem'))) {
      const key = createPrivateKey(readFileSync(join(trust.certificates, name)));
      this.#addKey(`the key in ${name}`, key);
    }
  }

  get all(): readonly Mark[] {
    return this.#marks;
  }

  /** Makes a provisioning token with a password, which is as secret as the token itself. @returns its path */
  async makeToken(
    name: string,
    wish: Partial<NewProvisioningToken> & { readonly cht: Mark },
  ): Promise<string> {
    const { cht, ...others } = wish;
    const token = {
      secret: new Secret(cht.text),
      username: 'provisioner',
      password: new Secret(this.texts.password.text),
      provisioningByDefault: true,
      ...others,
    };
    const now = Math.floor(Date.now() / 1000);
    return this.#write(name, await mintProvisioningToken(token, this.#signingKey, now));
  }

  /** Makes a token of the site with claims of any kind. @returns its path */
  async makeOddToken(name: string, claims: object): Promise<string> {
    return this.#write(name, await signToken(claims, this.#signingKey));
  }

  /** Makes a token that another site has signed. @returns its path */
  async makeForeignToken(name: string): Promise<string> {
    const { seed } = newEd25519Pair();
    const token = { secret: new Secret(this.texts.newest.text), provisioningByDefault: true };
    const now = Math.floor(Date.now() / 1000);
    return this.#write(name, await mintProvisioningToken(token, parseSigningKey(seed), now));
  }

  /** PEM of the key that signs provisioning tokens. */
  get signingKeyPem(): string {
    return pemOf(this.#signingKey.key);
  }

  /**
   * Lays out the helper's answers (helpers/recording.sh): to most nodes a configuration, to each of a few something
   * that is no good, with secrets in it.
   *
   * @returns how often runs fail for which reason by that
   */
  async layOutAnswers(folder: string): Promise<Readonly<Record<string, number>>> {
    mkdirSync(join(folder, 'answers'), { recursive: true });
    mkdirSync(join(folder, 'records'));
    const { setting, policy, broken } = this.texts;
    const configuration = { 'plugin.choria.server.provision': 'false', 'plugin.password': setting.text };
    const good = { configuration, action_policies: { 'site.policy': policy.text } };
    const cut = JSON.stringify(good).slice(0, -20);
    const { certificatePem, keyPem: pkcs8 } = await makeCertificate({ key: 'RSA' });
    const key = createPrivateKey(pkcs8);
    this.#addKey("the helper's key for a node", key);
    const pkcs1 = String(key.export({ type: 'pkcs1', format: 'pem' }));
    this.#addPem("the helper's key for a node, in PEM", pkcs1);
    this.#addPem("the helper's key of the wrong kind, in PEM", pkcs8);
    const other = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
    this.#addKey("the helper's key that fits no certificate", other);
    const answers: Readonly<
      Record<string, { out: object | string; err?: string; sh?: string; reason?: string }>
    > = {
      default: { out: good },
      'node-00002': { out: { ...good, key: pkcs1, certificate: certificatePem, ca: certificatePem } },
      'node-00003': { out: good, err: 'the site says no', sh: 'exit 3', reason: 'HELPER_EXIT' },
      'node-00004': { out: cut, reason: 'HELPER_INVALID' },
      'node-00005': { out: `${setting.text} ${cut}`, reason: 'HELPER_INVALID' },
      'node-00006': { out: { configuration: [setting.text] }, reason: 'HELPER_INVALID' },
      'node-00007': { out: { ...good, key: { pem: pkcs1 } }, reason: 'HELPER_INVALID' },
      'node-00008': { out: { ...good, key: pkcs8 }, reason: 'KEY_INVALID' },
      'node-00009': { out: { ...good, key: broken.text }, reason: 'KEY_INVALID' },
      'node-00010': { out: { ...good, key: pemAround(broken.text) }, reason: 'KEY_INVALID' },
      'node-00011': {
        out: {
          ...good,
          key: String(other.export({ type: 'pkcs1', format: 'pem' })),
          certificate: certificatePem,
        },
        reason: 'KEY_CHANGED',
      },
      'node-00012': { out: { configuration: { x: `${setting.text}\n` } }, reason: 'RPC_FAILED' },
      'node-00013': {
        out: { ...good, action_policies: { 'site.rego': policy.text } },
        reason: 'RPC_FAILED',
      },
      'node-00014': { out: { ...good, server_claims: { exp: -1 } }, reason: 'SERVER_CLAIMS_EXPIRED' },
      'node-00015': { out: cut, err: 'the site is slow', sh: 'exec sleep 1000', reason: 'HELPER_TIMEOUT' },
      'node-00016': { out: { ...good, configuration: {} }, reason: 'EMPTY_CONFIGURATION' },
    };
    const reasons: Record<string, number> = {};
    for (const [label, { out, err, sh, reason }] of Object.entries(answers)) {
      const lay = (kind: string, text: string) =>
        writeFileSync(join(folder, 'answers', `${label}.${kind}`), text);
      lay('out', typeof out === 'string' ? out : JSON.stringify(out));
      if (err !== undefined) lay('err', `${err}\n`);
      if (sh !== undefined) lay('sh', `${sh}\n`);
      if (reason !== undefined) reasons[reason] = (reasons[reason] ?? 0) + 1;
    }
    return reasons;
  }

  /** Takes up what a node was given or made in its run. */
  addNode(identity: string, seed: string, serverToken: string): void {
    this.#add(`the key of ${identity}`, Buffer.from(seed.trim(), 'hex'));
    this.#addToken(`the server token of ${identity}`, serverToken);
  }

  get #signingKey() {
    return parseSigningKey(readFileSync(this.#trust.signingKey, 'utf8'));
  }

  #write(name: string, token: string): string {
    const path = join(this.#trust.certificates, '..', name);
    writeFileSync(path, token);
    this.#addToken(`the token ${name}`, token);
    return path;
  }

  #read(path: string): Buffer {
    return Buffer.from(readFileSync(path, 'utf8').trim(), 'hex');
  }

  #add(name: string, secret: string | Buffer): void {
    this.#marks.push(new Mark(name, secret));
  }

  /** What makes a token good is its signature; what it says is no secret, but for texts that are marked. */
  #addToken(name: string, token: string): void {
    this.#add(name, token.trim().slice(token.lastIndexOf('.') + 1));
  }

  /** RSA; two of the lines that hold nothing of the public key. */
  #addPem(name: string, pem: string): void {
    const lines = pem.split('\n');
    for (const line of [lines[12], lines[20]]) this.#add(name, line ?? '');
  }

  /** The beginning of each of its private numbers: who tells more tells that as well. */
  #addKey(name: string, key: KeyObject): void {
    const { d, p, q } = key.export({ format: 'jwk' });
    for (const part of [d, p, q]) {
      if (typeof part === 'string') this.#add(name, Buffer.from(part, 'base64url').subarray(0, 32));
    }
  }
}

function pemOf(key: KeyObject): string {
  return String(key.export({ type: 'pkcs8', format: 'pem' }));
}

/** @returns what looks like a key and is none */
export function pemAround(text: string): string {
  return `-----BEGIN RSA PRIVATE KEY-----\n${text}\n-----END RSA PRIVATE KEY-----\n`;
}
