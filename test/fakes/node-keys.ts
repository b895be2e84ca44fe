// The keys of one node, made and shown as an agent does: for nodes that are faked.

import { createPublicKey, generateKeyPairSync, type KeyObject, webcrypto } from 'node:crypto';
import type { NodeCsr, NodeKey, NodeToken } from '../../services/provisioner/run/node.js';
import { Secret } from '../../shared/secret.js';
import { signChallenge } from '../../shared/trust/challenge.js';
import { newX25519Pair, type X25519Pair } from '../../shared/trust/key-transfer.js';
import { rawPublicKey } from '../../shared/trust/raw-keys.js';
import { Pkcs10CertificateRequestGenerator } from '../../shared/trust/x509.js';

export class NodeKeys {
  /** Its provisioning token. */
  jwt = 'no.token.yet';
  directory = '/etc/node';
  sslDir = '/etc/node/ssl';
  /** Of the last call for the token. */
  exchange: X25519Pair | undefined;
  /** Of the last call for a key. */
  ed25519: KeyObject | undefined;

  /** Hex; empty before there is a key. */
  get publicKey(): string {
    return this.ed25519 === undefined ? '' : rawPublicKey(this.ed25519).toString('hex');
  }

  getJwt(): NodeToken {
    this.exchange = newX25519Pair();
    return { jwt: new Secret(this.jwt), ecdhPublic: this.exchange.publicKey };
  }

  generateKey(identity: string, runId: string, nonce: Uint8Array): NodeKey {
    const { privateKey } = generateKeyPairSync('ed25519');
    this.ed25519 = privateKey;
    return {
      publicKey: rawPublicKey(privateKey),
      signature: signChallenge({ identity, runId, nonce }, privateKey),
      directory: this.directory,
    };
  }

  async generateCsr(commonName: string): Promise<NodeCsr> {
    const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
    const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
    const request = await Pkcs10CertificateRequestGenerator.create({
      name: [{ CN: [commonName] }],
      keys,
      signingAlgorithm: algorithm,
    });
    const spki = Buffer.from(await webcrypto.subtle.exportKey('spki', keys.publicKey));
    return {
      csrPem: request.toString('pem'),
      publicKeyPem: createPublicKey({ key: spki, format: 'der', type: 'spki' })
        .export({ format: 'pem', type: 'spki' })
        .toString(),
      sslDir: this.sslDir,
    };
  }
}
