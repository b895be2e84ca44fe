// Reasons of failed runs in words: what each means. What can be done about them is told by the provisioner, and by
// docs/operations.md.

import type { FailureReason, UpgradeFailureReason } from '../../services/provisioner/run/outcome.js';

/** By reason; one that is missing does not compile. */
export const reasonMeanings: Readonly<Record<FailureReason | UpgradeFailureReason, string>> = {
  UNREACHABLE: 'the node did not answer',
  IDENTITY_MISMATCH: 'another node answers at its address',
  NOT_PROVISIONING: 'the node takes no configuration any more',
  FEATURE_MISSING: 'the agent lacks something that the provisioner needs',
  PROOF_INVALID: 'the node holds another provisioning secret',
  SECRET_MISMATCH: 'the token of the node holds another secret than the node goes by',
  RPC_FAILED: 'a call to the node failed',
  MESSAGE_TOO_LARGE: 'a message was too large',
  REPLY_INVALID: 'the answer of the node is not what the contract says',
  RUN_TIMEOUT: 'the run took too long',
  TOKEN_INVALID: 'the provisioning token of the node is not good here',
  KEY_PROOF_INVALID: 'the node did not show that it holds its key',
  KEY_CHANGED: 'what was made for one key of the node met another',
  CSR_INVALID: 'the certificate request of the node is not acceptable',
  CSR_DENIED: 'a name in the certificate request is denied',
  EMPTY_CONFIGURATION: 'the helper gave no configuration',
  KEY_INVALID: 'the private key that the helper gave cannot be used',
  SERVER_CLAIMS_EXPIRED: 'the helper gave an expiry that is past, or almost',
  SIGNING_FAILED: 'the server token could not be signed',
  FENCE_AHEAD: 'a provisioner whose clock is far ahead has worked on the node',
  PROVISIONING_ENABLED: 'the configuration would bring the node back into provisioning mode',
  RESTARTED_UNCONFIGURED: 'the node restarted and is in provisioning mode all the same',
  UPGRADE_REFUSED: 'the node was to get another release, and could not be asked to',
  UPGRADE_RPC_FAILED: 'the node was asked to replace its release and did not',
  UPGRADE_LOOP: 'upgrades leave the node as it is, or go to and fro',
  HELPER_TIMEOUT: 'the helper took too long',
  HELPER_EXIT: 'the helper ended with an error',
  HELPER_EMPTY: 'the helper printed nothing',
  HELPER_INVALID: 'the answer of the helper is not usable',
  HELPER_TOO_LARGE: 'the answer of the helper is too large',
  HELPER_NOT_FOUND: 'the helper could not be started',
};

/** @returns empty where there is no reason, or one that this version does not know */
export function meaningOf(reason: string): string {
  return Object.hasOwn(reasonMeanings, reason) ? reasonMeanings[reason as keyof typeof reasonMeanings] : '';
}
