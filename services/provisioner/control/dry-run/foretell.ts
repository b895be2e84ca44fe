// How a run would end with a reply of the helper, if the node did all that it is asked: the run's own decision, in
// words. Pure.

import { formatDuration } from '../../../../shared/durations.js';
import type { ServerTokenClaims } from '../../../../shared/trust/server-token.js';
import type { HelperReply } from '../../helper/helper.js';
import { type DecisionContext, decide } from '../../run/decision.js';
import type { FailureReason, OutcomeKind, UpgradeFailureReason } from '../../run/outcome.js';

export interface Foretold {
  readonly outcome: OutcomeKind;
  /** Empty but for FAILED and UPGRADE_FAILED. */
  readonly reason: FailureReason | UpgradeFailureReason | '';
  /** A sentence for people. */
  readonly message: string;
  /** Of the server token that would be made; undefined where none would. */
  readonly serverClaims?: ServerTokenClaims | undefined;
  /** Why an upgrade that the helper wants would be left out. */
  readonly upgradeRefused?: string | undefined;
}

/** Says what would follow. */
export function foretell(reply: HelperReply, context: DecisionContext): Foretold {
  const decision = decide(reply, context);
  switch (decision.kind) {
    case 'DEFER': {
      const { message, retryAfterMs } = decision;
      const when = retryAfterMs ? `after ${formatDuration(retryAfterMs)}` : 'with its next sighting';
      return { outcome: 'DEFERRED', reason: '', message: `${message}; the node would be run again ${when}` };
    }
    case 'SHUT_DOWN': {
      const why = decision.message === '' ? '' : `: ${decision.message}`;
      return { outcome: 'SHUT_DOWN', reason: '', message: `the node would be shut down${why}` };
    }
    case 'UPGRADE': {
      const { target, credentials } = decision;
      const message = `the node would change from release ${context.node.version} to ${target}, and be asked about again`;
      return { outcome: 'UPGRADED', reason: '', message, serverClaims: credentials.server?.claims };
    }
    case 'CONFIGURE': {
      const { credentials, upgradeRefused } = decision;
      return {
        outcome: 'PROVISIONED',
        reason: '',
        message: configured(reply),
        serverClaims: credentials.server?.claims,
        upgradeRefused,
      };
    }
    case 'FAILED':
    case 'UPGRADE_FAILED':
      return { outcome: decision.kind, reason: decision.reason, message: decision.message };
  }
}

function configured({ configuration, msg }: HelperReply): string {
  const settings = configuration.size === 1 ? '1 setting' : `${configuration.size} settings`;
  return `the node would be configured with ${settings} and restarted${msg === '' ? '' : `: ${msg}`}`;
}
