// Whose lease is it? Given who holds it and who speaks, this says what the speaker is; what follows is the
// registry's matter (design, section 4, "Whose lease").

import type { Announcement, Refused, Reply } from '../nodes/announcement.js';
import { isSameBoot } from '../nodes/boot.js';
import type { Lease } from './lease.js';

export type Claim =
  /** Nobody holds the lease: the speaker may have it. */
  | { readonly kind: 'FREE' }
  /** The holder speaks. */
  | { readonly kind: 'HOLDER'; readonly lease: Lease }
  /** The holder sent the same report again: it gets the same reply, and nothing happens. */
  | { readonly kind: 'REPEAT'; readonly reply: Reply }
  /** Another boot speaks, or the same from elsewhere: the incumbent must be asked. */
  | { readonly kind: 'CONTEST'; readonly lease: Lease }
  /** The id of the holder, under another certificate: refused, and the incumbent is asked. */
  | { readonly kind: 'IMPOSTOR'; readonly lease: Lease }
  /**
   * Another boot says that it stops, or the same from elsewhere; or it speaks while the next boot of a node that
   * stopped is waited for: that changes nothing.
   */
  | { readonly kind: 'ASIDE'; readonly lease: Lease }
  | Refused;

/** What a speaker shows before its address is known. */
export type Speaker = Pick<
  Announcement,
  'source' | 'type' | 'bootId' | 'certificateSha256' | 'sequence' | 'digest'
> & { readonly address: string };

/** @param lease undefined where the identity has none */
export function claimOf(lease: Lease | undefined, speaker: Speaker): Claim {
  if (lease === undefined) return { kind: 'FREE' };
  if (isSameBoot(lease, speaker)) return claimOfBoot(lease, speaker);
  if (lease.phase === 'GONE') {
    return speaker.type === 'SHUTDOWN' || isKeptFrom(lease, speaker)
      ? { kind: 'ASIDE', lease }
      : { kind: 'FREE' };
  }
  if (lease.bootId === speaker.bootId) return { kind: 'IMPOSTOR', lease };
  if (speaker.type === 'SHUTDOWN') return { kind: 'ASIDE', lease };
  const { replaced } = lease;
  const wasReplaced = replaced !== undefined && isSameBoot(replaced, speaker);
  // The probe that found the speaker asked at the incumbent's own address; before it was replaced, if it was.
  if (!isReport(speaker) && lease.address === speaker.address && !wasReplaced) return { kind: 'FREE' };
  if (wasReplaced && isReport(speaker) && speaker.sequence <= replaced.sequence) {
    return stale(replaced.sequence);
  }
  return { kind: 'CONTEST', lease };
}

function claimOfBoot(lease: Lease, speaker: Speaker): Claim {
  const repeat = isReport(speaker) ? sequenceClaim(lease, speaker) : undefined;
  if (repeat !== undefined) return repeat;
  // A node that answered a probe and then said that it stops is not brought back by that answer.
  if (lease.phase === 'GONE') return isReport(speaker) ? { kind: 'FREE' } : { kind: 'ASIDE', lease };
  if (lease.address === speaker.address) return { kind: 'HOLDER', lease };
  return { kind: speaker.type === 'SHUTDOWN' ? 'ASIDE' : 'CONTEST', lease };
}

/** @returns undefined where the report is new */
export function sequenceClaim(
  last: { readonly sequence: bigint; readonly digest: string; readonly reply: Reply },
  speaker: Pick<Speaker, 'sequence' | 'digest'>,
): Extract<Claim, { kind: 'REPEAT' | 'REFUSED' }> | undefined {
  if (speaker.sequence > last.sequence) return undefined;
  if (speaker.sequence < last.sequence) return stale(last.sequence);
  if (speaker.digest === last.digest) return { kind: 'REPEAT', reply: last.reply };
  return {
    kind: 'REFUSED',
    reason: 'SEQUENCE_REUSED',
    message: `another report of this boot had sequence ${last.sequence}`,
  };
}

/** What an impostor is told. */
export const otherCertificate: Refused = {
  kind: 'REFUSED',
  reason: 'CERTIFICATE_MISMATCH',
  message: 'this boot is known with another certificate',
};

function stale(last: bigint): Refused {
  return {
    kind: 'REFUSED',
    reason: 'SEQUENCE_STALE',
    message: `the last report of this boot had sequence ${last}`,
  };
}

/**
 * The next boot of a node that said that it stops is expected where it was: somebody elsewhere, who has nothing to
 * do but to wait for a restart, does not come before it.
 */
export function isKeptFrom({ returnsTo }: Lease, { address }: Pick<Speaker, 'address'>): boolean {
  return returnsTo !== '' && returnsTo !== address;
}

function isReport(speaker: Speaker): boolean {
  return speaker.source === 'REPORTED';
}
