// Dry runs of the helper as the API shows them: without private keys.

import { Outcome } from '../../../shared/gen/slipway/provisioner/v1/host.js';
import type {
  TestHelperResponse,
  HelperReply as WireReply,
} from '../../../shared/gen/slipway/provisioner/v1/provisioner.js';
import { toDuration } from '../../../shared/wire/time.js';
import type { DryRun } from '../control/dry-run/dry-run.js';
import type { HelperReply } from '../helper/helper.js';

/** Where there is no exit code. */
const noExitCode = -1;

/** The answer to TestHelper. What private key the helper gave is left out; that it gave one is said. */
export function toTestHelperResponse(run: DryRun): TestHelperResponse {
  const { trial, reply } = run;
  return {
    outcome: Outcome[run.outcome],
    reason: run.reason,
    message: run.message,
    inputJson: run.inputJson,
    duration: toDuration(trial.durationMs),
    exitCode: trial.exitCode ?? noExitCode,
    stderr: trial.stderr,
    reply: reply && toReply(reply),
    serverClaimsJson: run.serverClaimsJson,
    currentVersion: run.currentVersion,
    warnings: [...run.warnings],
  };
}

function toReply(reply: HelperReply): WireReply {
  const { retryAfterMs } = reply;
  return {
    defer: reply.defer,
    shutdown: reply.shutdown,
    msg: reply.msg,
    upgrade: reply.upgrade,
    configuration: Object.fromEntries(reply.configuration),
    actionPolicies: Object.fromEntries(reply.actionPolicies),
    opaPolicies: Object.fromEntries(reply.opaPolicies),
    hasKey: reply.key !== undefined,
    certificate: reply.certificate,
    ca: reply.ca,
    sslDir: reply.ssldir,
    retryAfter: retryAfterMs === undefined ? undefined : toDuration(retryAfterMs),
  };
}
