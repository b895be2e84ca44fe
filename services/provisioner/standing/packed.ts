// Keeps what is remembered of many nodes in little memory: as text, a fraction of what the objects would take.

import type { LeftHost, RunRecord } from './past.js';

/** Runs as text; empty for none. Made and read by this file alone. */
export type PackedRuns = string & { readonly __brand: 'PackedRuns' };

/** A host that has left as text. */
export type PackedHost = string & { readonly __brand: 'PackedHost' };

export const noRuns: PackedRuns = '' as PackedRuns;

/** What is packed of a run, in this order: names would take more than what they name. */
function rowOf(run: RunRecord) {
  return [
    run.runId,
    String(run.fence),
    run.bootId,
    run.startedAt,
    run.durationMs,
    run.outcome,
    run.reason,
    run.message,
    run.lastStep,
    run.unsettled ? 1 : 0,
    run.confirmation,
    run.confirmationAt,
  ] as const;
}

type Row = ReturnType<typeof rowOf>;

export function packRuns(runs: readonly RunRecord[]): PackedRuns {
  return (runs.length === 0 ? '' : packed(runs.map(rowOf))) as PackedRuns;
}

export function unpackRuns(packed: PackedRuns): RunRecord[] {
  if (packed === '') return [];
  return (JSON.parse(packed) as Row[]).map(
    ([
      runId,
      fence,
      bootId,
      startedAt,
      durationMs,
      outcome,
      reason,
      message,
      lastStep,
      unsettled,
      ...rest
    ]) => ({
      runId,
      fence: BigInt(fence),
      bootId,
      startedAt,
      // What is not there comes back from JSON as null.
      durationMs: durationMs ?? undefined,
      outcome: outcome ?? undefined,
      reason,
      message,
      lastStep: lastStep ?? undefined,
      unsettled: unsettled === 1,
      confirmation: rest[0] ?? undefined,
      confirmationAt: rest[1] ?? undefined,
    }),
  );
}

/** What is packed of a host, likewise. */
function hostRowOf(host: LeftHost) {
  return [
    host.cause,
    host.at,
    host.address,
    host.bootId,
    host.version,
    host.certificateSha256,
    host.discovery,
    host.admittedAt && Math.round(host.admittedAt),
    host.lastSightedAt && Math.round(host.lastSightedAt),
  ] as const;
}

type HostRow = ReturnType<typeof hostRowOf>;

export function packHost(host: LeftHost): PackedHost {
  return packed(hostRowOf(host)) as PackedHost;
}

export function unpackHost(text: PackedHost): LeftHost {
  const [cause, at, address, bootId, version, certificateSha256, discovery, admittedAt, lastSightedAt] =
    JSON.parse(text) as HostRow;
  return {
    cause: cause ?? undefined,
    at: at ?? undefined,
    address,
    bootId: bootId ?? undefined,
    version,
    certificateSha256,
    discovery,
    admittedAt: admittedAt ?? undefined,
    lastSightedAt: lastSightedAt ?? undefined,
  };
}

/** JSON comes in pieces that hold one another, and take half as much again. */
function packed(value: unknown): string {
  return flat(JSON.stringify(value));
}

/** The same text in one piece: one that was put together, or cut out of another, holds on to all that it was made of. */
export function flat<T extends string>(text: T): T {
  return Buffer.from(text).toString() as T;
}
