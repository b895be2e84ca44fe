// Which arguments an agent takes (design, section 3: ARGUMENT_INVALID). Every problem is told at once, by the
// name of its field in the request; descriptions name keys and file names, never values.

import { isOfLowOrder } from '../../../shared/trust/low-order.js';
import { publicKeyOfToken, readCertificate } from '../state/keys.js';
import type { Settings } from '../state/settings.js';
import type { Configuration } from './configuration.js';
import type { CsrSubject } from './own-keys.js';
import { findSslFolder } from './ssl-folder.js';

/** A field of a request that was refused, and why. */
export interface Violation {
  /** Name of the field in the request, in proto spelling. */
  readonly field: string;
  readonly description: string;
}

const longestSplayMs = 3_600_000;
const longestFileName = 255;

/**
 * @param nodeDirectory the node's folder, absolute
 * @returns what is wrong with the arguments of Configure; empty where nothing is
 */
export function checkConfiguration(configuration: Configuration, nodeDirectory: string): Violation[] {
  const settings = readSettings(configuration.configurationJson);
  const ssl = findSslFolder(configuration.sslDir, nodeDirectory);
  return [
    ...(settings.ok ? [] : settings.violations),
    ...checkKey(configuration),
    ...checkCredentials(configuration),
    ...(ssl.ok ? [] : [{ field: 'ssl_dir', description: ssl.problem }]),
    ...checkPolicies('action_policies', configuration.actionPolicies, '.policy'),
    ...checkPolicies('opa_policies', configuration.opaPolicies, '.rego'),
  ];
}

/** @returns what is wrong with the arguments of Restart; empty where nothing is */
export function checkSplay(splayMs: number): Violation[] {
  if (splayMs >= 0 && splayMs <= longestSplayMs) return [];
  return [{ field: 'splay', description: 'must be from 0 s to 1 h' }];
}

/** @returns what is wrong with the arguments of GenerateEd25519Key; empty where nothing is */
export function checkNonce(nonce: Uint8Array): Violation[] {
  return nonce.length === 32 ? [] : [{ field: 'nonce', description: 'expected 32 bytes' }];
}

/** A name of the site's, not of X.520: an identity may be that long. */
const longestCommonName = 253;
const longestNamePart = 128;

/** @returns what is wrong with the arguments of GenerateCsr; empty where nothing is */
export function checkSubject(subject: CsrSubject): Violation[] {
  const parts = [
    ['common_name', subject.commonName],
    ['country', subject.country],
    ['locality', subject.locality],
    ['organization', subject.organization],
    ['organizational_unit', subject.organizationalUnit],
    ['province', subject.province],
  ] as const;
  return parts.flatMap(([field, value]) => {
    const description = findPartProblem(field, value);
    return description === undefined ? [] : [{ field, description }];
  });
}

function findPartProblem(field: string, value: string): string | undefined {
  if (field === 'common_name' && value === '') return 'is missing';
  if (field === 'country') return /^(?:[A-Za-z]{2})?$/.test(value) ? undefined : 'expected two letters';
  const longest = field === 'common_name' ? longestCommonName : longestNamePart;
  if (value.length > longest) return `is longer than ${longest} characters`;
  return hasControlCharacter(value) ? 'a control character is not allowed' : undefined;
}

/** Reads configuration_json: a JSON object of strings, not empty, of which each fits on a line of server.conf. */
export function readSettings(
  json: string,
):
  | { readonly ok: true; readonly settings: Settings }
  | { readonly ok: false; readonly violations: Violation[] } {
  const violations: Violation[] = [];
  const refuse = (description: string) => violations.push({ field: 'configuration_json', description });
  const settings = new Map<string, string>();
  const parsed = parseJson(json);
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    refuse('must be a JSON object of strings');
  } else {
    const entries = Object.entries(parsed);
    if (entries.length === 0) refuse('is empty');
    for (const [key, value] of entries) {
      const problem = findSettingProblem(key, value);
      if (problem !== undefined) refuse(problem);
      else settings.set(key, value);
    }
  }
  return violations.length === 0 ? { ok: true, settings } : { ok: false, violations };
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

function findSettingProblem(key: string, value: unknown): string | undefined {
  const name = JSON.stringify(key);
  if (typeof value !== 'string') return `${name}: expected a string`;
  if (/[\r\n]/.test(key) || /[\r\n]/.test(value)) return `${name}: holds a line break`;
  // Such a key would read back as another one.
  if (!/^[^=#\s](?:[^=]*[^=\s])?$/.test(key)) return `${name}: is no key`;
  return undefined;
}

function checkKey({ keyPem, nodeEcdhPublic, provisionerEcdhPublic }: Configuration): Violation[] {
  if (keyPem === '') return [];
  const violations: Violation[] = [];
  if (nodeEcdhPublic.length !== 32) {
    violations.push({ field: 'node_ecdh_public', description: 'a key needs an exchange: expected 32 bytes' });
  }
  if (provisionerEcdhPublic.length !== 32) {
    violations.push({
      field: 'provisioner_ecdh_public',
      description: 'a key needs an exchange: expected 32 bytes',
    });
  } else if (isOfLowOrder(provisionerEcdhPublic)) {
    violations.push({ field: 'provisioner_ecdh_public', description: 'is a point of low order' });
  }
  const encrypted = /^Proc-Type: 4,ENCRYPTED\r?$/m.test(keyPem) && /^DEK-Info: \S/m.test(keyPem);
  if (!encrypted) violations.push({ field: 'key_pem', description: 'is not encrypted' });
  return violations;
}

/** Whether they were made for the node's keys is asked only of what can be read. */
function checkCredentials({ certificatePem, serverJwt }: Configuration): Violation[] {
  const violations: Violation[] = [];
  if (certificatePem !== '' && readCertificate(certificatePem) === undefined) {
    violations.push({ field: 'certificate_pem', description: 'is no certificate in PEM' });
  }
  if (serverJwt !== '' && publicKeyOfToken(serverJwt) === undefined) {
    violations.push({ field: 'server_jwt', description: 'is no token' });
  }
  return violations;
}

function checkPolicies(field: string, policies: ReadonlyMap<string, string>, suffix: string): Violation[] {
  const violations: Violation[] = [];
  for (const name of policies.keys()) {
    const problem = findNameProblem(name, suffix);
    if (problem !== undefined) violations.push({ field, description: `${JSON.stringify(name)}: ${problem}` });
  }
  return violations;
}

function findNameProblem(name: string, suffix: string): string | undefined {
  if (/[/\\]/.test(name)) return 'a path is not allowed';
  if (hasControlCharacter(name)) return 'a control character is not allowed';
  if (!name.endsWith(suffix) || name.length === suffix.length) return `must end in ${suffix}`;
  if (Buffer.byteLength(name) > longestFileName) return `is longer than ${longestFileName} bytes`;
  return undefined;
}

function hasControlCharacter(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  return /[\u0000-\u001f\u007f]/.test(text);
}
