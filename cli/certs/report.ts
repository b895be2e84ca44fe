// What is told of certificates that were made: what they are, and how they are used.

import { X509Certificate } from 'node:crypto';
import { resolve } from 'node:path';
import { certificateSha256 } from '../../shared/trust/report-envelope.js';
import type { DevelopmentCertificates, DevelopmentFile } from './development.js';

/** @returns lines for people */
export function report({ directory, authority, members }: DevelopmentCertificates): string {
  const folder = resolve(directory);
  const hash = certificateSha256(new X509Certificate(authority.certificatePem).raw);
  return `${[authority, ...members].map(lineOf).join('\n')}

CA, SHA-256: ${hash}

discovery.yaml:    tls: { cert: ${folder}/discovery.pem, key: ${folder}/discovery-key.pem, ca: ${folder}/ca.pem }
provisioner.yaml:  tls: { cert: ${folder}/provisioner.pem, key: ${folder}/provisioner-key.pem, ca: ${folder}/ca.pem }
nodes:             slipway token provisioning … --ca ${folder}/ca.pem
                   puts the CA's SHA-256 into their token; or give them ca.pem itself (--ca of the mock node)
you:               grpcurl -cacert ${folder}/ca.pem -cert ${folder}/operator.pem -key ${folder}/operator-key.pem …

Keep ca-key.pem and the other keys to yourself: who has the CA's can take any role.
`;
}

function lineOf({ name, state, certificatePem }: DevelopmentFile): string {
  const { validTo } = new X509Certificate(certificatePem);
  const until = new Date(validTo).toISOString().slice(0, 10);
  return `${state.padEnd(7)}  ${`${name}.pem, ${name}-key.pem`.padEnd(36)}  until ${until}`;
}
