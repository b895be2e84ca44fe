// PEM blocks in a text, RFC 7468: which there are, without reading what is in them.

import { TrustError } from './trust-error.js';

export interface PemBlock {
  /** What stands after BEGIN. */
  readonly label: string;
  /** The block from its first line to its last, with a line break at the end. */
  readonly text: string;
}

/** Far above a key or a certificate with its chain; what is longer is not looked at. */
const longest = 256 * 1024;

/** @throws TrustError MALFORMED where the text is far too long to hold a key or a certificate */
export function pemBlocks(text: string): PemBlock[] {
  if (text.length > longest) throw new TrustError('MALFORMED', `${text.length} characters are too many`);
  // Within a block there are hyphens (Proc-Type, AES-256-CBC), but never five: so one pass is enough.
  const pattern = /-----BEGIN ([A-Z0-9 ]{1,64})-----[^-]*(?:-(?!----)[^-]*)*-----END \1-----/g;
  return [...text.matchAll(pattern)].map(([block, label = '']) => ({ label, text: `${block}\n` }));
}
