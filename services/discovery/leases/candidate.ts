// Which of several newcomers has the lease, where the incumbent turns out to be gone.

import type { Announcement } from '../nodes/announcement.js';
import { isSameBoot } from '../nodes/boot.js';
import type { Lease } from './lease.js';

/**
 * The latest, unless the one before has a better claim: a fleet in which somebody speaks for a node all the time
 * must not lose that node when it reboots.
 */
export function preferred(lease: Lease, before: Announcement | undefined, now: Announcement): Announcement {
  if (before === undefined || claim(lease, now) >= claim(lease, before)) return merged(before, now);
  return before;
}

/** Greater is better. */
function claim(lease: Lease, candidate: Announcement): number {
  // It stops: it wants nothing.
  if (candidate.type === 'SHUTDOWN') return 0;
  // The incumbent's next life is where the incumbent was.
  if (candidate.address === lease.address) return 3;
  // It holds the incumbent's key: the incumbent moved.
  if (candidate.certificateSha256 !== '' && isSameBoot(candidate, lease)) return 2;
  return 1;
}

/** An ALIVE that follows the STARTUP of the same boot does not make it less of a start. */
function merged(before: Announcement | undefined, now: Announcement): Announcement {
  if (before === undefined || !isSameBoot(before, now) || now.type !== 'ALIVE') return now;
  const { type, eventId, runId, configurationDigest } = before;
  return { ...now, type, eventId, runId, configurationDigest };
}
