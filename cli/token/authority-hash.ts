// The CA certificate that a token names.

import { X509Certificate } from 'node:crypto';
import { certificateSha256 } from '../../shared/trust/report-envelope.js';
import { UsageError } from '../command-error.js';
import { readText } from '../files/read.js';
import type { Terminal } from '../terminal.js';

/**
 * @returns hex SHA-256 of the certificate (DER)
 * @throws UsageError where the file is not exactly one certificate of a CA
 */
export async function readAuthorityHash(path: string, terminal: Terminal): Promise<string> {
  const pem = await readText(path, 'the CA certificate', terminal);
  const count = pem.split('-----BEGIN CERTIFICATE-----').length - 1;
  if (count > 1) {
    throw new UsageError(
      `${path} has ${count} certificates: give a file with the one that discovery's certificate is of in the end`,
    );
  }
  const certificate = parse(pem);
  if (certificate === undefined) throw new UsageError(`${path} is no certificate in PEM`);
  if (!certificate.ca) throw new UsageError(`${path} is not the certificate of a CA`);
  return certificateSha256(certificate.raw);
}

function parse(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    return undefined;
  }
}
