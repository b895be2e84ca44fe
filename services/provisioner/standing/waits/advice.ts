// What people can do about a failure: one sentence or two for each reason. The manual's table of reasons
// (docs/operations.md) has the same texts, and a test that they agree.

import type { FailureReason, UpgradeFailureReason } from '../../run/outcome.js';

export type Reason = FailureReason | UpgradeFailureReason;

/** By reason; one that is missing does not compile. */
export const adviceOn: Readonly<Record<Reason, string>> = {
  UNREACHABLE: 'See that the agent runs and that the provisioner may reach its port; check node_networks',
  IDENTITY_MISMATCH:
    'An address that was given to another machine mends itself with the next report. Else look for two machines ' +
    'behind one address',
  NOT_PROVISIONING: 'Nothing, if it is configured. Else put it back into provisioning mode',
  FEATURE_MISSING: 'Give the node a token, replace its release, or turn the feature off',
  PROOF_INVALID:
    'Put the node’s secret into token or token_file; while the secret is being changed, old and new',
  SECRET_MISMATCH:
    'Look at how the node was made: its token is not the one that its agent goes by. Where token is not set, set it',
  RPC_FAILED:
    'Look at the step failed lines before it and at the agent’s log; where the node refuses Configure with ' +
    'INVALID_ARGUMENT, at what the helper answered',
  MESSAGE_TOO_LARGE: 'Raise max_inventory, or make facts or configuration smaller',
  REPLY_INVALID: 'Look at the agent’s version; report it',
  RUN_TIMEOUT: 'Look for the slow step; raise run_timeout',
  TOKEN_INVALID:
    'Give the node a token of this site, or set the key that signed it. Where it says is the seed of a signer, ' +
    'jwt_verify_cert holds the private key: put the public one there. If nobody made such a token, find out who the ' +
    'node is',
  KEY_PROOF_INVALID: 'Look at the agent’s version; else find out who answers there',
  KEY_CHANGED:
    'Look for the other provisioner; have the helper sign the request that it is given, or leave certificate out of ' +
    'its answer',
  CSR_INVALID: 'Look at the agent’s version; else find out who answers there',
  CSR_DENIED: 'Nothing, if the list is right: nobody gets a certificate for that name',
  KEY_INVALID: 'Convert it (openssl rsa -traditional); turn features.jwt on, or leave key out of the answer',
  SERVER_CLAIMS_EXPIRED:
    'Mend the helper: a number under 1000000000 is seconds from now, a greater one Unix seconds',
  SIGNING_FAILED: 'Look at jwt_signing_key and jwt_signing_token',
  EMPTY_CONFIGURATION: 'Mend the helper; to leave a node alone it answers defer',
  FENCE_AHEAD:
    'Set the clocks right; then slipway provision with --force overtakes it. Else the node remembers until the time has ' +
    'come',
  PROVISIONING_ENABLED: 'Have the helper set "plugin.choria.server.provision": "false"',
  RESTARTED_UNCONFIGURED: 'Look at the node’s log and disk: something discards its configuration',
  UPGRADE_REFUSED:
    'Set upgrades_repository; leave upgrade out of the helper’s answer for such nodes; or set upgrades_optional',
  UPGRADE_RPC_FAILED:
    'Look at the agent’s log; see that upgrades_repository has that release and that nodes reach it',
  UPGRADE_LOOP:
    'See what the repository gives under that version, and what the helper answers for the node. Once that is mended, restart the provisioner, which forgets the row of upgrades, or wait until the row is two hours old',
  HELPER_TIMEOUT:
    'Make the helper faster, or raise helper_timeout; see that it leaves nothing behind that holds its output',
  HELPER_EXIT: 'Mend the helper: the message has what it wrote to standard error',
  HELPER_EMPTY: 'Have the helper print its answer; to leave a node alone it answers defer',
  HELPER_INVALID: 'Mend the helper’s answer at the place or key that the message names',
  HELPER_TOO_LARGE: 'Make the helper’s answer smaller',
  HELPER_NOT_FOUND:
    'Put the helper where the setting helper says, executable and with its interpreter; it is looked for with every run',
};
