// What one boot is told apart from another by. The id alone does not do: everybody can ask an agent for it, and
// put it into a report of his own.

import type { BootId } from '../../../shared/identity.js';

export interface Boot {
  readonly bootId: BootId;
  /** Hex SHA-256 of the certificate (DER) whose key signs for it; empty without one. */
  readonly certificateSha256: string;
}

/** Whether both are the same life of the same process (design, section 4, "Whose lease"). */
export function isSameBoot(left: Boot, right: Boot): boolean {
  return left.bootId === right.bootId && left.certificateSha256 === right.certificateSha256;
}

/** One text for each boot, for use in maps. */
export function keyOfBoot({ bootId, certificateSha256 }: Boot): string {
  return `${bootId} ${certificateSha256}`;
}
