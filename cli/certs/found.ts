// What a folder of certificates holds already, and what is wrong with it.

import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { IssuedCertificate } from '../../shared/trust/issue-certificate.js';
import { parseHost } from './hosts.js';

/** The CA of a folder; all undefined where there is none. */
export interface FoundAuthority {
  readonly certificatePem: string | undefined;
  /** Defined where certificates can be made of it. */
  readonly issuer: IssuedCertificate | undefined;
  /** Why nothing can be made of it. */
  readonly problem: string | undefined;
}

export type FoundCertificate =
  | { readonly kind: 'MISSING' }
  | { readonly kind: 'THERE'; readonly certificatePem: string }
  | { readonly kind: 'UNUSABLE'; readonly problem: string };

export interface ExpectedCertificate {
  /** PEM of the CA that it must be of; undefined where there is none. */
  readonly authority: string | undefined;
  readonly hosts: readonly string[];
  readonly now: Date;
}

/** Looks at `ca.pem` and `ca-key.pem`. @throws the system's error where one of them cannot be read */
export async function findAuthority(directory: string, now: Date): Promise<FoundAuthority> {
  const paths = pathsOf(directory, 'ca');
  const [certificatePem, keyPem] = await readPair(directory, 'ca');
  if (certificatePem === undefined && keyPem === undefined) {
    return { certificatePem, issuer: undefined, problem: undefined };
  }
  const unusable = (problem: string) => ({ certificatePem, issuer: undefined, problem });
  if (keyPem === undefined) {
    return unusable(
      `${paths.key} is not there, so that nothing can be made of ${paths.certificate}: put it back, or remove the ` +
        'other one too for a new CA',
    );
  }
  if (certificatePem === undefined) {
    return unusable(`${paths.key} is there without ${paths.certificate}: put it back, or remove both`);
  }
  const certificate = parseCertificate(certificatePem);
  if (certificate === undefined || !fits(certificate, keyPem)) {
    return unusable(`${paths.certificate} and ${paths.key} are not a CA certificate and its key`);
  }
  if (!certificate.ca) return unusable(`${paths.certificate} is not the certificate of a CA`);
  if (new Date(certificate.validTo) <= now) {
    return unusable(`${paths.certificate} expired on ${certificate.validTo}: remove it and ${paths.key}`);
  }
  return { certificatePem, issuer: { certificatePem, keyPem }, problem: undefined };
}

/** Looks at a certificate and its key. @throws the system's error where one of them cannot be read */
export async function findCertificate(
  directory: string,
  name: string,
  expected: ExpectedCertificate,
): Promise<FoundCertificate> {
  const paths = pathsOf(directory, name);
  const [certificatePem, keyPem] = await readPair(directory, name);
  if (certificatePem === undefined && keyPem === undefined) return { kind: 'MISSING' };
  const unusable = (problem: string): FoundCertificate => ({
    kind: 'UNUSABLE',
    problem: `${problem}: --force makes it anew`,
  });
  if (certificatePem === undefined || keyPem === undefined) {
    const [there, missing] =
      keyPem === undefined ? [paths.certificate, paths.key] : [paths.key, paths.certificate];
    return unusable(`${there} is there without ${missing}`);
  }
  const certificate = parseCertificate(certificatePem);
  if (certificate === undefined || !fits(certificate, keyPem)) {
    return unusable(`${paths.certificate} and ${paths.key} are not a certificate and its key`);
  }
  if (!isIssuedBy(certificate, expected.authority)) {
    return unusable(`${paths.certificate} is not of the CA in ${directory}`);
  }
  if (new Date(certificate.validTo) <= expected.now) {
    return unusable(`${paths.certificate} expired on ${certificate.validTo}`);
  }
  const unnamed = expected.hosts.filter((host) => !names(certificate, host));
  if (unnamed.length > 0) return unusable(`${paths.certificate} does not name ${unnamed.join(', ')}`);
  return { kind: 'THERE', certificatePem };
}

/** @returns where a certificate and its key are kept */
export function pathsOf(directory: string, name: string): { certificate: string; key: string } {
  return { certificate: join(directory, `${name}.pem`), key: join(directory, `${name}-key.pem`) };
}

async function readPair(directory: string, name: string): Promise<[string | undefined, string | undefined]> {
  const { certificate, key } = pathsOf(directory, name);
  return [await readIfThere(certificate), await readIfThere(key)];
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function parseCertificate(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    return undefined;
  }
}

function fits(certificate: X509Certificate, keyPem: string): boolean {
  try {
    return certificate.checkPrivateKey(createPrivateKey(keyPem));
  } catch {
    return false;
  }
}

function isIssuedBy(certificate: X509Certificate, authorityPem: string | undefined): boolean {
  const authority = authorityPem === undefined ? undefined : parseCertificate(authorityPem);
  return (
    authority !== undefined && certificate.checkIssued(authority) && certificate.verify(authority.publicKey)
  );
}

function names(certificate: X509Certificate, host: string): boolean {
  const parsed = parseHost(host);
  if (parsed === undefined) return false;
  return parsed.kind === 'IP'
    ? certificate.checkIP(parsed.name) !== undefined
    : certificate.checkHost(parsed.name, { wildcards: false }) !== undefined;
}
