// The metadata that every call to a node but Identify carries (design, section 3). What it means is checked
// by the agent.

import { Metadata } from '@grpc/grpc-js';

/** Who calls a node, and in which run. */
export interface NodeMetadata {
  /** Hex proof that the caller knows the provisioning secret (shared/trust/proof.ts). */
  readonly proof: string;
  /** The node that the caller means to reach. */
  readonly identity: string;
  /** The boot that the caller means to reach. */
  readonly boot: string;
  readonly site: string;
  /** The caller's instance id. */
  readonly provisioner: string;
  readonly run: string;
  readonly fence: bigint;
}

/** As a caller sent it: an absent or unusable text is empty, an absent or unusable fence undefined. */
export type ReceivedNodeMetadata = Omit<NodeMetadata, 'fence'> & { readonly fence: bigint | undefined };

/** Longest value that is taken: characters. */
const longestValue = 512;

const greatestFence = 2n ** 63n - 1n;

/**
 * Writes the metadata of a call.
 *
 * @throws Error where a value is not printable ASCII, which headers cannot carry
 */
export function writeNodeMetadata(values: NodeMetadata): Metadata {
  const metadata = new Metadata();
  metadata.set('slipway-proof', values.proof);
  metadata.set('slipway-identity', values.identity);
  metadata.set('slipway-boot', values.boot);
  metadata.set('slipway-site', values.site);
  metadata.set('slipway-provisioner', values.provisioner);
  metadata.set('slipway-run', values.run);
  metadata.set('slipway-fence', values.fence.toString());
  return metadata;
}

/** Reads the metadata of a call. Never throws: a caller may have sent anything. */
export function readNodeMetadata(metadata: Metadata): ReceivedNodeMetadata {
  return {
    proof: readText(metadata, 'slipway-proof'),
    identity: readText(metadata, 'slipway-identity'),
    boot: readText(metadata, 'slipway-boot'),
    site: readText(metadata, 'slipway-site'),
    provisioner: readText(metadata, 'slipway-provisioner'),
    run: readText(metadata, 'slipway-run'),
    fence: readFence(metadata),
  };
}

/** A key that was sent twice says nothing: which of the two counts would depend on who reads it. */
function readText(metadata: Metadata, key: string): string {
  const values = metadata.get(key);
  const [value] = values;
  return values.length === 1 && typeof value === 'string' && value.length <= longestValue ? value : '';
}

function readFence(metadata: Metadata): bigint | undefined {
  const text = readText(metadata, 'slipway-fence');
  if (!/^\d{1,19}$/.test(text)) return undefined;
  const fence = BigInt(text);
  return fence <= greatestFence ? fence : undefined;
}
