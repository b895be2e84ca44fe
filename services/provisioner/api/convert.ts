// Domain types as the provisioner's API shows them. The one place where its generated types end.

import type { PauseStatus } from '../../../shared/gen/slipway/provisioner/v1/provisioner.js';
import { toTimestamp } from '../../../shared/wire/time.js';
import type { PauseNote } from '../fleet/pause.js';

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
