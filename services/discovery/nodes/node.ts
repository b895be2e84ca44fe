// A node as discovery tells others of it: a picture of one moment, which does not change afterwards.

import type { Identity, RunId } from '../../../shared/identity.js';
import type { Boot } from './boot.js';

/** How discovery knows of a node: it reported itself, or it was found at a static target. */
export type NodeSource = 'REPORTED' | 'PROBED';

/** The component of a node that names none. */
export const defaultComponent = 'provision_mode_server';

export type Labels = Readonly<Record<string, string>>;

export interface Node extends Boot {
  readonly identity: Identity;
  /** IP address and port, IPv6 in brackets. */
  readonly address: string;
  readonly version: string;
  readonly component: string;
  readonly labels: Labels;
  /** When this boot was first heard of: Unix milliseconds, by discovery's clock. */
  readonly firstSeen: number;
  /** When this boot was last heard of: Unix milliseconds, by discovery's clock. */
  readonly lastSeen: number;
  readonly source: NodeSource;
}

/** What a node says that it came up with. */
export interface Configured {
  /** Undefined where it named none. */
  readonly runId: RunId | undefined;
  /** Hex SHA-256; empty where it named none. */
  readonly configurationDigest: string;
}
