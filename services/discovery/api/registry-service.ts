// slipway.discovery.v1.NodeRegistryService: what nodes call.

import { status } from '@grpc/grpc-js';
import type {
  NodeRegistryServiceServer,
  ReportRequest,
  ReportResponse,
} from '../../../shared/gen/slipway/discovery/v1/registry.js';
import { RpcError } from '../../../shared/grpc/errors.js';
import { type CallContext, unary } from '../../../shared/grpc/handler.js';
import type { Logger } from '../../../shared/logger.js';
import { toDuration } from '../../../shared/wire/time.js';
import type { RefusalReason, Refused, ReportType } from '../nodes/announcement.js';
import type { Intake } from '../reports/intake.js';
import { parseReport, type Violation } from './report.js';

export interface RegistryServiceOptions {
  readonly intake: Intake;
  readonly log: Logger;
  /** Told of each report that was taken. */
  readonly taken: (type: ReportType) => void;
  /** Told of each report that was refused. */
  readonly refused: (reason: RefusalReason) => void;
}

/** Makes the service. */
export function registryService(options: RegistryServiceOptions): NodeRegistryServiceServer {
  return { report: unary(options.log, (request, context) => report(options, request, context)) };
}

async function report(
  options: RegistryServiceOptions,
  request: ReportRequest,
  { peerHost }: CallContext,
): Promise<ReportResponse> {
  const { intake } = options;
  const turnedAway = intake.turnAway(peerHost);
  if (turnedAway !== undefined) throw refuse(options, turnedAway);
  const parsed = parseReport(request);
  if (!parsed.ok) throw invalid(options, parsed.violations);
  const outcome = await intake.take(parsed.report, peerHost);
  if (outcome.kind === 'REFUSED') throw refuse(options, outcome);
  options.taken(parsed.report.type);
  const { leaseMs, nextReportMs } = outcome.reply;
  return { leaseTtl: toDuration(leaseMs), nextReportIn: toDuration(nextReportMs) };
}

function invalid(options: RegistryServiceOptions, violations: readonly Violation[]): RpcError {
  options.refused('ARGUMENT_INVALID');
  const { field, description } = violations[0] ?? { field: 'report', description: 'is invalid' };
  return new RpcError(status.INVALID_ARGUMENT, `${field}: ${description}`, {
    reason: 'ARGUMENT_INVALID',
    violations,
  });
}

function refuse(options: RegistryServiceOptions, { reason, message, retryAfterMs }: Refused): RpcError {
  options.refused(reason);
  return new RpcError(refusalCodes[reason], message, { reason, retryAfterMs });
}

const refusalCodes: Readonly<Record<RefusalReason, status>> = {
  ARGUMENT_INVALID: status.INVALID_ARGUMENT,
  RATE_LIMITED: status.RESOURCE_EXHAUSTED,
  SOURCE_RATE_LIMITED: status.RESOURCE_EXHAUSTED,
  NODES_LIMIT: status.RESOURCE_EXHAUSTED,
  SOURCE_NODES_LIMIT: status.RESOURCE_EXHAUSTED,
  ADDRESS_REFUSED: status.FAILED_PRECONDITION,
  SEQUENCE_STALE: status.FAILED_PRECONDITION,
  SEQUENCE_REUSED: status.FAILED_PRECONDITION,
  CERTIFICATE_MISMATCH: status.PERMISSION_DENIED,
};
