// What a stack trusts: a development CA and its certificates, the key that signs tokens, and the token that its
// nodes boot with. All of it lies in one folder and is made for this stack alone.

import { randomBytes, X509Certificate } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Secret } from '../../shared/secret.js';
import { mintProvisioningToken } from '../../shared/trust/mint-provisioning-token.js';
import { certificateSha256 } from '../../shared/trust/report-envelope.js';
import { parseSigningKey } from '../../shared/trust/signing-key.js';
import { makeDevelopmentCertificates } from '../certs/development.js';
import { writeWhole } from '../files/write.js';
import { newKeyPair } from '../keys/key-pair.js';

/** Where each thing is. */
export interface Trust {
  /** `ca.pem`, `NAME.pem` and `NAME-key.pem` for discovery, provisioner, operator and viewer. */
  readonly certificates: string;
  /** An ed25519 seed, which signs the nodes' tokens. */
  readonly signingKey: string;
  /** The public key of it. */
  readonly verificationKey: string;
  /** What nodes boot with. It names the CA and puts them into provisioning mode. */
  readonly provisioningToken: string;
  /** The provisioning secret in it. */
  readonly secret: string;
}

/** How long a stack is to run at most. */
const days = 30;

/** Makes all of it, anew where it is there already, but for the CA. */
export async function makeTrust(folder: string): Promise<Trust> {
  const trust = {
    certificates: join(folder, 'certs'),
    signingKey: join(folder, 'site.seed'),
    verificationKey: join(folder, 'site.public'),
    provisioningToken: join(folder, 'provisioning.jwt'),
    secret: join(folder, 'provisioning.secret'),
  };
  const now = new Date();
  await mkdir(folder, { recursive: true });
  const { authority } = await makeDevelopmentCertificates({
    directory: trust.certificates,
    days,
    hosts: [],
    force: true,
    now,
  });
  const { seed, publicKey } = newKeyPair();
  const secret = new Secret(randomBytes(32).toString('base64url'));
  const nowSeconds = Math.floor(now.getTime() / 1000);
  const token = await mintProvisioningToken(
    {
      secret,
      provisioningByDefault: true,
      caSha256: certificateSha256(new X509Certificate(authority.certificatePem).raw),
      expiresAt: nowSeconds + days * 86_400,
    },
    parseSigningKey(seed.reveal()),
    nowSeconds,
  );
  const files = [
    { path: trust.signingKey, text: seed.reveal(), isPrivate: true },
    { path: trust.verificationKey, text: publicKey, isPrivate: false },
    { path: trust.secret, text: secret.reveal(), isPrivate: true },
    { path: trust.provisioningToken, text: token, isPrivate: true },
  ];
  for (const file of files) await writeWhole(file, true);
  return trust;
}
