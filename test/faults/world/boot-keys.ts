// What a boot of the world's nodes makes of keys: as little as the rest of the world looks at, so that tests take no time.

import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { ServerCredentials } from '@grpc/grpc-js';
import type { CsrSubject, CsrWithKey } from '../../../services/mock-node/agent/own-keys.js';
import type { BootCertificate } from '../../../services/mock-node/boot/boot-certificate.js';
import { makeCsr } from '../../fakes/csr-maker.js';

/** Nothing is signed or served with it: only its hash counts here. */
const key = generateKeyPairSync('ed25519').privateKey;

/** @returns a certificate that is no other boot's */
export function newCertificate(): BootCertificate {
  const sha256 = randomBytes(32).toString('hex');
  return { der: Buffer.from(sha256), sha256, key, credentials: ServerCredentials.createInsecure() };
}

/** As an agent makes it, but for a P-256 key: RSA would take most of the time of all tests. */
export async function newCsr({ commonName }: CsrSubject): Promise<CsrWithKey> {
  const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return {
    csrPem: makeCsr({ commonNames: [commonName], keys }),
    publicKeyPem: keys.publicKey.export({ format: 'pem', type: 'spki' }).toString(),
    privateKeyPem: keys.privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
  };
}
