// What a service's TLS files hold, checked as a whole: a certificate that is valid now, its key, and CA
// certificates that it leads to. What cannot be used is told as an operator needs it.

import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import type { Problem } from '../config/config-error.js';
import { ConfigError } from '../config/config-error.js';
import { isSelfSigned, leadsTo, pathFrom, pemCertificates } from './certificate-chain.js';
import { readCertificate, type Usage } from './certificate-facts.js';
import { minVersion } from './handshake.js';

/** What the files held when they were last usable. */
export interface TlsMaterial {
  /** The certificate and what leads to a root, without the root. */
  readonly certificatePem: string;
  /** The same with the root at its end. */
  readonly chainToRootPem: string;
  readonly keyPem: string;
  readonly caPem: string;
  /** Unix milliseconds: when the certificate begins to be valid and when it expires. */
  readonly validFrom: number;
  readonly expiresAt: number;
}

/** A file's text, and its path for messages. */
export interface TlsText {
  readonly path: string;
  readonly text: string;
}

export type TlsTexts = Readonly<Record<'cert' | 'key' | 'ca', TlsText>>;

/**
 * Checks the texts of a service's TLS files.
 *
 * @param now Unix milliseconds
 * @param usages extended key usages that the certificate must not leave out, where it has any
 * @throws ConfigError with a problem for each setting whose file cannot be used
 */
export function checkTlsTexts(texts: TlsTexts, now: number, usages: readonly Usage[]): TlsMaterial {
  const problems: Problem[] = [];
  const attempt = <T>(setting: keyof TlsTexts, read: (text: TlsText) => T): T | undefined => {
    try {
      return read(texts[setting]);
    } catch (error) {
      problems.push(problemOf(setting, texts[setting].path, error));
      return undefined;
    }
  };
  const certificates = attempt('cert', ({ text }) => readCertificates(text));
  const key = attempt('key', ({ text }) => readKey(text));
  const authorities = attempt('ca', ({ text }) => readAuthorities(text));
  const [leaf] = certificates ?? [];
  if (leaf !== undefined && certificates !== undefined) {
    attempt('cert', () => checkLeaf(leaf, now, usages));
    if (key !== undefined) attempt('key', () => checkFits(leaf, key));
    const chain = authorities && attempt('cert', () => chainOf(certificates, authorities, now));
    if (problems.length === 0 && chain !== undefined) {
      const material = materialOf(leaf, chain, texts);
      attempt('cert', () => checkOpenSsl(material));
      if (problems.length === 0) return material;
    }
  }
  throw new ConfigError('the TLS files', problems);
}

export function problemOf(setting: keyof TlsTexts, path: string, error: unknown): Problem {
  const why = error instanceof Error ? error.message : String(error);
  return { path: `tls.${setting}`, message: `${path}: ${why}` };
}

function readCertificates(text: string): X509Certificate[] {
  const blocks = pemCertificates(text);
  const begun = text.split(/-----BEGIN [A-Z0-9 ]*CERTIFICATE-----/).length - 1;
  if (begun === 0) throw new Error(`holds no PEM certificate${whatElse(text)}`);
  if (blocks.length !== begun) throw new Error('holds a certificate that is cut off');
  return blocks.map((block, index) => {
    try {
      return new X509Certificate(block);
    } catch (error) {
      throw new Error(`certificate ${index + 1} in it cannot be read: ${reasonOf(error)}`);
    }
  });
}

function whatElse(text: string): string {
  if (text.trim() === '') return ': it is empty';
  if (/PRIVATE KEY-----/.test(text)) return ': it is a private key';
  if (/-----BEGIN /.test(text)) return '';
  return '; where it is DER, convert it: openssl x509 -inform der -in FILE -out FILE.pem';
}

function readKey(text: string): KeyObject {
  if (/-----BEGIN ENCRYPTED PRIVATE KEY-----|Proc-Type: *4,ENCRYPTED/.test(text)) {
    throw new Error(
      'is encrypted, and there is nobody to ask for its passphrase: write it in plain, for this user only ' +
        '(openssl pkey -in FILE -out PLAIN)',
    );
  }
  if (!/-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----/.test(text)) {
    throw new Error(`holds no PEM private key${text.trim() === '' ? ': it is empty' : ''}`);
  }
  try {
    return createPrivateKey(text);
  } catch (error) {
    throw new Error(`holds a private key that cannot be read: ${reasonOf(error)}`);
  }
}

function readAuthorities(text: string): X509Certificate[] {
  const authorities = readCertificates(text);
  for (const { ca, subject } of authorities) {
    if (!ca) throw new Error(`holds ${nameOf(subject)}, which is no CA certificate`);
  }
  return authorities;
}

function checkLeaf(leaf: X509Certificate, now: number, usages: readonly Usage[]): void {
  const facts = readCertificate(leaf.raw);
  checkDates(leaf, now, 'the certificate');
  if (facts.usages.size === 0) return;
  for (const usage of usages) {
    if (!facts.usages.has(usage)) throw new Error(`the certificate lacks the extended key usage ${usage}`);
  }
}

function checkDates(certificate: X509Certificate, now: number, what: string): void {
  const why = whyNotValid(certificate, now);
  if (why !== undefined) throw new Error(`${what} ${why}`);
}

/** @returns undefined where it is valid now */
function whyNotValid(certificate: X509Certificate, now: number): string | undefined {
  const { notBefore, notAfter } = readCertificate(certificate.raw);
  if (now > notAfter) return `expired at ${new Date(notAfter).toISOString()}`;
  if (now < notBefore) return `is not valid before ${new Date(notBefore).toISOString()}`;
  return undefined;
}

function checkFits(leaf: X509Certificate, key: KeyObject): void {
  if (!leaf.checkPrivateKey(key)) throw new Error('is not the key of the certificate of tls.cert');
}

/** @returns the certificate and what leads to the last that is there, which is the root where the files have it */
function chainOf(
  [leaf, ...between]: readonly X509Certificate[],
  authorities: readonly X509Certificate[],
  now: number,
): X509Certificate[] {
  if (leaf === undefined) return [];
  const isValid = (each: X509Certificate) => Number(whyNotValid(each, now) === undefined);
  const validFirst = (candidates: X509Certificate[]) =>
    candidates.toSorted((one, other) => isValid(other) - isValid(one));
  // A CA that was renewed under its key is there twice, and either may stand first.
  const asGiven = pathFrom(leaf, validFirst([...between, ...authorities]));
  const chain = leadsTo(asGiven, authorities)
    ? asGiven
    : pathFrom(leaf, validFirst([...authorities, ...between]));
  for (const issuer of chain.slice(1)) {
    checkDates(issuer, now, `the certificate of ${nameOf(issuer.subject)}, which issued it,`);
  }
  if (leadsTo(chain, authorities)) return chain;
  throw new Error(
    `the certificate does not lead to one of tls.ca, so that no peer could verify it: ` +
      `${nameOf(chain.at(-1)?.issuer ?? '')} is not there`,
  );
}

function materialOf(leaf: X509Certificate, chain: X509Certificate[], texts: TlsTexts): TlsMaterial {
  const { notBefore, notAfter } = readCertificate(leaf.raw);
  const sent = chain.filter((certificate, index) => index === 0 || !isSelfSigned(certificate));
  return {
    certificatePem: sent.join(''),
    chainToRootPem: chain.join(''),
    keyPem: texts.key.text,
    caPem: texts.ca.text,
    validFrom: notBefore,
    expiresAt: notAfter,
  };
}

/** The last word is OpenSSL's: keys that are too small, for instance. */
function checkOpenSsl({ certificatePem, keyPem, caPem }: TlsMaterial): void {
  try {
    createSecureContext({ minVersion, cert: certificatePem, key: keyPem, ca: caPem });
  } catch (error) {
    throw new Error(`cannot be used for TLS: ${reasonOf(error)}`);
  }
}

/** A subject on one line. */
function nameOf(subject: string): string {
  return subject === '' ? 'a certificate without a subject' : subject.replaceAll('\n', ', ');
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'reason' in error && typeof error.reason === 'string' ? error.reason : error.message;
}
