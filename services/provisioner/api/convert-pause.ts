// An operator's pause as the API shows it, in the status and in the answers to Pause and Resume.

import type { PauseStatus } from '../../../shared/gen/slipway/provisioner/v1/provisioner.js';
import { toTimestamp } from '../../../shared/wire/time.js';
import type { PauseNote } from '../fleet/pause.js';

/** @param note undefined where no operator has paused the provisioner */
export function toPauseStatus(note: PauseNote | undefined): PauseStatus {
  return {
    paused: note !== undefined,
    byOperator: note !== undefined,
    notLeader: false,
    since: note === undefined ? undefined : toTimestamp(note.since),
    by: note?.by ?? '',
    message: note?.message ?? '',
  };
}
