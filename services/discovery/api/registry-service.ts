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
import type { ReportTrust } from '../reports/trust.js';
import { oversizedParts, parseReport, type Violation } from './report.js';

export interface RegistryServiceOptions {
  readonly intake: Intake;
  readonly trust: ReportTrust;
  readonly log: Logger;
  /** Told of each report that was taken. */
  readonly taken: (type: ReportType) => void;
  /** Told of each report that was refused, by the IP address that it came from, and what its node is told. */
  readonly refused: (reason: RefusalReason, peerIp: string, message: string) => void;
}

/** Makes the service. */
export function registryService(options: RegistryServiceOptions): NodeRegistryServiceServer {
  return { report: unary(options.log, (request, context) => report(options, request, context)) };
}

async function report(
  options: RegistryServiceOptions,
  request: ReportRequest,
  { metadata, peerHost }: CallContext,
): Promise<ReportResponse> {
  const { intake, trust } = options;
  const turnedAway = intake.turnAway(peerHost);
  if (turnedAway !== undefined) throw refuse(options, peerHost, turnedAway);
  const oversized = oversizedParts(request);
  if (oversized.length > 0) throw invalid(options, peerHost, oversized);
  const authorization = metadata.get('authorization').map(String);
  const trusted = await trust.check({ ...request, authorization });
  if (trusted.kind === 'REFUSED') throw refuse(options, peerHost, trusted);
  const parsed = parseReport(request.report, trusted.certificateSha256);
  if (!parsed.ok) throw invalid(options, peerHost, parsed.violations);
  const outcome = await intake.take(parsed.report, peerHost);
  if (outcome.kind === 'REFUSED') throw refuse(options, peerHost, outcome);
  options.taken(parsed.report.type);
  const { leaseMs, nextReportMs } = outcome.reply;
  return { leaseTtl: toDuration(leaseMs), nextReportIn: toDuration(nextReportMs) };
}

function invalid(
  options: RegistryServiceOptions,
  peerIp: string,
  violations: readonly Violation[],
): RpcError {
  const { field, description } = violations[0] ?? { field: 'report', description: 'is invalid' };
  const message = `${field}: ${description}`;
  options.refused('ARGUMENT_INVALID', peerIp, message);
  return new RpcError(status.INVALID_ARGUMENT, message, { reason: 'ARGUMENT_INVALID', violations });
}

function refuse(
  options: RegistryServiceOptions,
  peerIp: string,
  { reason, message, retryAfterMs }: Refused,
): RpcError {
  options.refused(reason, peerIp, message);
  return new RpcError(refusalCodes[reason], message, { reason, retryAfterMs });
}

const refusalCodes: Readonly<Record<RefusalReason, status>> = {
  ARGUMENT_INVALID: status.INVALID_ARGUMENT,
  SIGNATURE_INVALID: status.UNAUTHENTICATED,
  TOKEN_INVALID: status.UNAUTHENTICATED,
  RATE_LIMITED: status.RESOURCE_EXHAUSTED,
  SOURCE_RATE_LIMITED: status.RESOURCE_EXHAUSTED,
  NODES_LIMIT: status.RESOURCE_EXHAUSTED,
  SOURCE_NODES_LIMIT: status.RESOURCE_EXHAUSTED,
  ADDRESS_REFUSED: status.FAILED_PRECONDITION,
  SEQUENCE_STALE: status.FAILED_PRECONDITION,
  SEQUENCE_REUSED: status.FAILED_PRECONDITION,
  CERTIFICATE_MISMATCH: status.PERMISSION_DENIED,
};
