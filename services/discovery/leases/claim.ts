// Whose lease is it? Given who holds it and who speaks, this says what the speaker is; what follows is the
// registry's matter (design, section 4, "Whose lease").

import type { Announcement, Refused, Reply } from '../nodes/announcement.js';
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
  /** Another boot says that it stops, or the same from elsewhere: that changes nothing for the holder. */
  | { readonly kind: 'ASIDE' }
  | Refused;

/** What a speaker shows before its address is known. */
export type Speaker = Pick<
  Announcement,
  'source' | 'type' | 'bootId' | 'certificateSha256' | 'sequence' | 'digest'
> & { readonly address: string };

/** @param lease undefined where the identity has none */
export function claimOf(lease: Lease | undefined, speaker: Speaker): Claim {
  if (lease === undefined) return { kind: 'FREE' };
  if (lease.bootId === speaker.bootId) return claimOfBoot(lease, speaker);
  if (speaker.type === 'SHUTDOWN') return { kind: 'ASIDE' };
  if (lease.phase === 'GONE') return { kind: 'FREE' };
  // The probe that found the speaker asked at the incumbent's own address.
  if (!isReport(speaker) && lease.address === speaker.address) return { kind: 'FREE' };
  const { replaced } = lease;
  if (replaced?.bootId === speaker.bootId && isReport(speaker) && speaker.sequence <= replaced.sequence) {
    return stale(replaced.sequence);
  }
  return { kind: 'CONTEST', lease };
}

function claimOfBoot(lease: Lease, speaker: Speaker): Claim {
  if (isReport(speaker)) {
    if (!certificateFits(lease, speaker)) {
      return {
        kind: 'REFUSED',
        reason: 'CERTIFICATE_MISMATCH',
        message: 'this boot is known with another certificate',
      };
    }
    const repeat = sequenceClaim(lease, speaker);
    if (repeat !== undefined) return repeat;
  }
  // A node that answered a probe and then said that it stops is not brought back by that answer.
  if (lease.phase === 'GONE') return { kind: isReport(speaker) ? 'FREE' : 'ASIDE' };
  if (lease.address === speaker.address) return { kind: 'HOLDER', lease };
  return speaker.type === 'SHUTDOWN' ? { kind: 'ASIDE' } : { kind: 'CONTEST', lease };
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

function stale(last: bigint): Refused {
  return {
    kind: 'REFUSED',
    reason: 'SEQUENCE_STALE',
    message: `the last report of this boot had sequence ${last}`,
  };
}

/** Without encryption a probe shows no certificate: a node that then reports brings its own. */
function certificateFits(lease: Lease, speaker: Speaker): boolean {
  if (lease.source === 'PROBED' && lease.certificateSha256 === '') return true;
  return lease.certificateSha256 === speaker.certificateSha256;
}

function isReport(speaker: Speaker): boolean {
  return speaker.source === 'REPORTED';
}
