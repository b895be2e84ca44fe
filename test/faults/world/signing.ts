// The files that server tokens are signed with, in the world: readable and in order, but for what a test plans.

import type { SigningSource } from '../../../services/provisioner/enrolment/signing.js';
import { type Clock, sleep } from '../../../shared/clock.js';
import type { ServerTokenIssuer } from '../../../shared/trust/server-token.js';
import type { Faults } from './faults.js';
import type { Life, RealWork } from './life.js';

export interface WorldSigningOptions {
  readonly clock: Clock;
  readonly life: Life;
  readonly work: RealWork;
  readonly faults: Faults;
  readonly issuer: ServerTokenIssuer;
}

/** How long a disk that hangs does: milliseconds. */
const diskHangsMs = 120_000;

/**
 * @returns what gives the issuer. LOSE_REQUEST: the file cannot be read; LOSE_REPLY: signing fails; HANG: the disk does
 *   not answer for two minutes.
 */
export function worldSigning({ clock, life, work, faults, issuer }: WorldSigningOptions): SigningSource {
  return {
    current: () =>
      life.during(async () => {
        const call = faults.take('*', 'Signing');
        await call.happens('ARRIVES');
        if (call.has('HANG')) await sleep(clock, diskHangsMs);
        if (call.has('LOSE_REQUEST')) {
          return { kind: 'UNUSABLE', setting: 'jwt_signing_key', why: '/keys/signing: cannot be read' };
        }
        const mint: ServerTokenIssuer['mint'] = (claims, now) =>
          life.during(async () => {
            if (call.has('LOSE_REPLY')) throw new Error('the signature could not be made');
            const token = await work.count(issuer.mint(claims, now));
            await call.happens('DONE');
            await call.happens('ANSWERED');
            return token;
          });
        return { kind: 'USABLE', issuer: { expiresAt: issuer.expiresAt, mint } };
      }),
  };
}
