// The manifest, state/manifest.json of a node: NodeState as JSON. Renaming it into place is the commit of
// every transition; this file only knows its text.

import { z } from 'zod';
import { parseIdentity, parseRunId } from '../../../shared/identity.js';
import type { NodeState, StoredHold } from './node-state.js';

/** The manifest cannot be understood: another program or a broken disk wrote it. */
class ManifestError extends Error {
  override readonly name = 'ManifestError';
}

const identity = z.string().transform((text, context) => {
  const parsed = parseIdentity(text);
  if (parsed !== undefined) return parsed;
  context.addIssue('is no identity');
  return z.NEVER;
});

const runId = z.string().transform((text, context) => {
  const parsed = parseRunId(text);
  if (parsed !== undefined) return parsed;
  context.addIssue('is no run id');
  return z.NEVER;
});

/** As it is written for chmod: `0600`. */
const mode = z
  .string()
  .regex(/^0[0-7]{3}$/)
  .transform((text) => Number.parseInt(text, 8));

const digest = z.string().regex(/^(?:[0-9a-f]{64})?$/);

const hold = z.object({
  site: z.string(),
  // A decimal string: int64 is more than a JSON number can be trusted with.
  fence: z.string().regex(/^\d{1,19}$/),
  run_id: runId,
  last_call_at: z.number(),
});

const schema = z.object({
  format: z.literal(1),
  identity,
  configurations: z.int().nonnegative(),
  configuration: z
    .object({
      digest,
      run_id: runId,
      status: z.enum(['COMMITTED', 'INSTALLED', 'WITHDRAWN']),
      staging: z.string(),
      files: z.array(z.object({ path: z.string(), sha256: digest, mode: mode.optional() })),
      replaces: z.array(z.string()).default([]),
    })
    .optional(),
  // What has a default, older programs did not write.
  release: z.string().optional(),
  upgraded: z.boolean().default(false),
  hold: hold.optional(),
  former_holds: z.array(hold).default([]),
  runs: z.array(
    z.object({
      run_id: runId,
      stage: z.enum([
        'KEYED',
        'CONFIGURED',
        'RESTARTING',
        'UPGRADING',
        'UPGRADED',
        'STOPPING',
        'CONFIRMED',
        'FAILED',
      ]),
      configuration_digest: digest,
      updated_at: z.number(),
    }),
  ),
});

/** @returns the text of the manifest */
export function encodeManifest(state: NodeState): string {
  const { configuration } = state;
  const manifest: z.input<typeof schema> = {
    format: 1,
    identity: state.identity,
    configurations: state.configurations,
    configuration: configuration && {
      digest: configuration.digest,
      run_id: configuration.runId,
      status: configuration.status,
      staging: configuration.staging,
      files: configuration.files.map((file) => ({ ...file, mode: formatMode(file.mode) })),
      replaces: [...configuration.replaces],
    },
    release: state.release,
    upgraded: state.upgraded,
    hold: state.hold && encodeHold(state.hold),
    former_holds: state.formerHolds.map(encodeHold),
    runs: state.runs.map((run) => ({
      run_id: run.runId,
      stage: run.stage,
      configuration_digest: run.configurationDigest,
      updated_at: run.updatedAt,
    })),
  };
  return `${JSON.stringify(manifest, null, 1)}\n`;
}

/** @throws ManifestError where the text is no manifest */
export function decodeManifest(text: string): NodeState {
  const parsed = schema.safeParse(parseJson(text));
  if (!parsed.success) throw new ManifestError(z.prettifyError(parsed.error));
  const { configuration, runs, ...manifest } = parsed.data;
  return {
    identity: manifest.identity,
    configurations: manifest.configurations,
    configuration: configuration && {
      digest: configuration.digest,
      runId: configuration.run_id,
      status: configuration.status,
      staging: configuration.staging,
      files: configuration.files.map((file) => ({ ...file, mode: file.mode })),
      replaces: configuration.replaces,
    },
    release: manifest.release,
    upgraded: manifest.upgraded,
    hold: manifest.hold && decodeHold(manifest.hold),
    formerHolds: manifest.former_holds.map(decodeHold),
    runs: runs.map((run) => ({
      runId: run.run_id,
      stage: run.stage,
      configurationDigest: run.configuration_digest,
      updatedAt: run.updated_at,
    })),
  };
}

function encodeHold(of: StoredHold): z.input<typeof hold> {
  return { site: of.site, fence: of.fence.toString(), run_id: of.runId, last_call_at: of.lastCallAt };
}

function decodeHold(of: z.output<typeof hold>): StoredHold {
  return { site: of.site, fence: BigInt(of.fence), runId: of.run_id, lastCallAt: of.last_call_at };
}

function formatMode(bits: number | undefined): string | undefined {
  return bits === undefined ? undefined : `0${bits.toString(8).padStart(3, '0')}`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ManifestError('the manifest is not JSON', { cause });
  }
}
