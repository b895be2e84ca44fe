// From the bytes that a node sent to a report, with everything checked: what is wrong is named field by field.

import { hash } from 'node:crypto';
import { z } from 'zod';
import {
  NodeReport,
  type ReportRequest,
  ReportType as WireType,
} from '../../../shared/gen/slipway/discovery/v1/registry.js';
import { parseBootId, parseIdentity, parseRunId } from '../../../shared/identity.js';
import type { Report, ReportType } from '../nodes/announcement.js';
import { defaultComponent } from '../nodes/node.js';

/** One field that is wrong. */
export interface Violation {
  /** In proto spelling. */
  readonly field: string;
  readonly description: string;
}

export type ParsedReport =
  | { readonly ok: true; readonly report: Report }
  | { readonly ok: false; readonly violations: readonly Violation[] };

/** The most bytes of each part of the envelope. */
const envelopeBytes = { report: 16_384, certificate: 8192, signature: 1024 } as const;

const mostLabels = 16;
const digestBytes = 32;
const highestSequence = 2n ** 64n - 1n;

/**
 * Reads and checks a report.
 *
 * @param bytes as they were signed
 * @param certificateSha256 of the certificate whose key signed them, hex; empty without one
 */
export function parseReport(bytes: Uint8Array, certificateSha256: string): ParsedReport {
  let message: NodeReport;
  try {
    message = NodeReport.decode(bytes);
  } catch {
    return refused('report', 'is no serialised slipway.discovery.v1.NodeReport');
  }
  const parsed = reportSchema.safeParse(message);
  if (!parsed.success) return { ok: false, violations: parsed.error.issues.map(violationOf) };
  const digest = hash('sha256', bytes, 'base64');
  return { ok: true, report: { ...parsed.data, digest, certificateSha256 } };
}

/** What is wrong with the sizes of an envelope's parts: looked at before anything is done with them. */
export function oversizedParts(request: ReportRequest): Violation[] {
  const violations: Violation[] = [];
  if (request.report.length === 0) violations.push({ field: 'report', description: 'is empty' });
  for (const [field, limit] of Object.entries(envelopeBytes)) {
    const { length } = request[field as keyof typeof envelopeBytes];
    if (length > limit) {
      violations.push({ field, description: `has ${length} bytes, and at most ${limit} are taken` });
    }
  }
  return violations;
}

function refused(field: string, description: string): ParsedReport {
  return { ok: false, violations: [{ field, description }] };
}

const wireTypes: ReadonlyMap<number, ReportType> = new Map([
  [WireType.STARTUP, 'STARTUP'],
  [WireType.ALIVE, 'ALIVE'],
  [WireType.PROVISIONED, 'PROVISIONED'],
  [WireType.UPGRADED, 'UPGRADED'],
  [WireType.SHUTDOWN, 'SHUTDOWN'],
]);

/** What stays undefined where `parse` finds nothing is a problem. */
function parsedBy<In, Out>(input: z.ZodType<In>, expected: string, parse: (value: In) => Out | undefined) {
  return input.transform((value, context) => {
    const parsed = parse(value);
    if (parsed !== undefined) return parsed;
    context.addIssue({ code: 'custom', message: `expected ${expected}` });
    return z.NEVER;
  });
}

function printable(longest: number) {
  const expected = `expected at most ${longest} characters, none of them a control character`;
  return z
    .string()
    .max(longest, expected)
    .regex(/^\P{Cc}*$/u, expected);
}

const uuid = parsedBy(z.string(), 'a UUID', parseBootId);

const labelsSchema = z
  .record(z.string().min(1).pipe(printable(63)), printable(255))
  .refine((labels) => Object.keys(labels).length <= mostLabels, `expected at most ${mostLabels} labels`);

const reportSchema = z.object({
  type: parsedBy(z.number(), 'a REPORT_TYPE other than UNSPECIFIED', (type) => wireTypes.get(type)),
  eventId: uuid,
  identity: parsedBy(
    z.string(),
    'an identity: 1 to 253 of [a-z0-9._-], first a letter or digit, no trailing dot',
    parseIdentity,
  ),
  bootId: uuid,
  component: printable(128).transform((component) => component || defaultComponent),
  version: printable(128),
  time: z.date('expected a moment between the years 1 and 9999').optional(),
  sequence: z.bigint().min(1n, 'expected a sequence of at least 1').max(highestSequence, 'expected 64 bits'),
  port: z.number().min(1, 'expected a port from 1 to 65535').max(65_535, 'expected a port from 1 to 65535'),
  host: z.string().regex(/^[\w.:-]{0,253}$/, 'expected a host name or an IP address'),
  labels: labelsSchema,
  runId: parsedBy(z.string(), 'a UUID, or nothing', (text) =>
    text === '' ? noRun : parseRunId(text),
  ).transform((runId) => (runId === noRun ? undefined : runId)),
  configurationDigest: z
    .instanceof(Uint8Array)
    .refine((digest) => digest.length === 0 || digest.length === digestBytes, {
      error: `expected ${digestBytes} bytes, or none`,
    })
    .transform((digest) => Buffer.from(digest).toString('hex')),
});

/** A report that names no run is in order. */
const noRun = Symbol('noRun');

/** A key is the peer's own text, and goes into logs. */
function shown(key: string): string {
  return key.slice(0, 64).replaceAll(/\p{C}/gu, '?');
}

function violationOf(issue: z.core.$ZodIssue): Violation {
  const [field = 'report', ...inner] = issue.path.map(String);
  const snake = field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return {
    field: [snake, ...inner.map(shown)].join('.'),
    description: issue.message,
  };
}
