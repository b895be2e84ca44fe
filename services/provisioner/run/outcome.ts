// How a run ends. Every run ends with exactly one outcome (design, sections 5 and 6).

/** Why a run failed. Stable: operators and programs match on it. */
export type FailureReason =
  | 'UNREACHABLE'
  | 'IDENTITY_MISMATCH'
  | 'NOT_PROVISIONING'
  | 'FEATURE_MISSING'
  | 'PROOF_INVALID'
  | 'SECRET_MISMATCH'
  | 'RPC_FAILED'
  | 'MESSAGE_TOO_LARGE'
  | 'REPLY_INVALID'
  | 'RUN_TIMEOUT'
  | 'TOKEN_INVALID'
  | 'KEY_PROOF_INVALID'
  | 'KEY_CHANGED'
  | 'CSR_INVALID'
  | 'CSR_DENIED'
  | 'EMPTY_CONFIGURATION'
  | 'KEY_INVALID'
  | 'SERVER_CLAIMS_EXPIRED'
  | 'SIGNING_FAILED'
  | 'FENCE_AHEAD'
  | 'PROVISIONING_ENABLED'
  | 'RESTARTED_UNCONFIGURED'
  | HelperFailureReason;

/** Why a run whose helper wanted another release ended without it (design, section 9). */
export type UpgradeFailureReason = 'UPGRADE_REFUSED' | 'UPGRADE_RPC_FAILED' | 'UPGRADE_LOOP';

/** Why the helper gave no usable reply (design, section 7). */
export type HelperFailureReason =
  | 'HELPER_TIMEOUT'
  | 'HELPER_EXIT'
  | 'HELPER_EMPTY'
  | 'HELPER_INVALID'
  | 'HELPER_TOO_LARGE'
  | 'HELPER_NOT_FOUND';

/** Why a run was cancelled. */
export type CancelCause = 'PAUSED' | 'RELEASED' | 'STOPPING' | 'BREAKER';

/** Why a run is told to stop before its point of no return. */
export type Interruption = CancelCause | 'SUPERSEDED';

export type Outcome =
  /** Configured and restarted; `unsettled` where the node's word on the restart is missing. */
  | { readonly kind: 'PROVISIONED'; readonly unsettled: boolean }
  /** The helper wanted the node shut down. */
  | { readonly kind: 'SHUT_DOWN'; readonly message: string }
  /**
   * The release was replaced, from the version of the inventory to the one that the helper wanted. The node comes back
   * in provisioning mode. `unsettled` where nobody could say what became of it.
   */
  | { readonly kind: 'UPGRADED'; readonly from: string; readonly to: string; readonly unsettled?: true }
  /** The release was to be replaced first, and was not. */
  | { readonly kind: 'UPGRADE_FAILED'; readonly reason: UpgradeFailureReason; readonly message: string }
  /** The helper, or the node, wants to be asked later; `retryAfterMs` where it said when. */
  | {
      readonly kind: 'DEFERRED';
      readonly by: 'HELPER' | 'NODE';
      readonly message: string;
      readonly retryAfterMs: number | undefined;
    }
  | { readonly kind: 'FAILED'; readonly reason: FailureReason; readonly message: string }
  /** The last sighting was too old to act on. */
  | { readonly kind: 'SKIPPED_STALE'; readonly message: string }
  /** Another boot of the node, or another provisioner's higher fence, took its place. */
  | { readonly kind: 'SUPERSEDED'; readonly by: 'BOOT' | 'FENCE'; readonly message: string }
  /** `probe` is set where the run was to show whether the helper works again, and it does not. */
  | { readonly kind: 'CANCELLED'; readonly cause: CancelCause; readonly probe?: true };

export type OutcomeKind = Outcome['kind'];
