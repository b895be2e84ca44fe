// The digest that names a configuration, computed by the provisioner over what it sends and by the agent
// over what it received (design, section 3).

import { createHash, type Hash } from 'node:crypto';
import type { ConfigureRequest } from '../gen/slipway/node/v1/node.js';

/**
 * SHA-256 over the fields of Configure in the order of their numbers: each as its length (8 bytes, big
 * endian) and its bytes, texts in UTF-8; a map as the number of its pairs (8 bytes, big endian) and then the
 * pairs, key and value each with its length, sorted by the bytes of the key.
 *
 * @returns 32 bytes
 */
export function configurationDigest(request: ConfigureRequest): Buffer {
  const hash = createHash('sha256');
  addBytes(hash, Buffer.from(request.configurationJson));
  addBytes(hash, Buffer.from(request.keyPem));
  addBytes(hash, Buffer.from(request.certificatePem));
  addBytes(hash, Buffer.from(request.caPem));
  addBytes(hash, Buffer.from(request.sslDir));
  addBytes(hash, request.nodeEcdhPublic);
  addBytes(hash, request.provisionerEcdhPublic);
  addBytes(hash, Buffer.from(request.serverJwt));
  addMap(hash, request.actionPolicies);
  addMap(hash, request.opaPolicies);
  return hash.digest();
}

function addBytes(hash: Hash, bytes: Uint8Array): void {
  hash.update(number(bytes.length)).update(bytes);
}

function addMap(hash: Hash, map: Readonly<Record<string, string>>): void {
  const pairs = Object.entries(map).map(([key, value]) => [Buffer.from(key), Buffer.from(value)] as const);
  pairs.sort(([a], [b]) => Buffer.compare(a, b));
  hash.update(number(pairs.length));
  for (const [key, value] of pairs) {
    addBytes(hash, key);
    addBytes(hash, value);
  }
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return bytes;
}
