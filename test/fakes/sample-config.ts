// A configuration schema with one setting of each kind, and ways to load it from a few lines of YAML.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { commonFields } from '../../shared/config/common.js';
import { ConfigError } from '../../shared/config/config-error.js';
import {
  duration,
  enumOf,
  hostPort,
  later,
  listOf,
  oneOrList,
  path,
  secret,
  wholeNumber,
} from '../../shared/config/fields.js';
import { type ConfigSource, loadConfig } from '../../shared/config/load.js';

/** What a valid configuration needs at least. */
export const minimalConfig = 'tls: {mode: insecure}\ndiscovery: [d1.example.net:7412]\n';

export const sampleSchema = z.object({
  ...commonFields({ listen: '0.0.0.0:7420', monitorPort: 7421 }),
  discovery: oneOrList(hostPort()),
  interval: duration({ min: '1s' }).prefault('1m'),
  workers: wholeNumber(1, 1000).default(64),
  ratio: z.number().min(0).max(1).default(0.5),
  optional: z.boolean().default(false),
  helper_mode: enumOf(['exec', 'persistent']).default('exec'),
  targets: listOf(hostPort()).default([]),
  numbers: listOf(wholeNumber()).default([]),
  data_dir: path().default('/var/lib/slipway'),
  token: oneOrList(secret()).optional(),
  leader_election: later(false, 'leader election'),
  events: z
    .object({ max_count: wholeNumber(1).default(1000), max_age: duration().prefault('7d') })
    .prefault({}),
});

/** Loads the sample from a source; `choria_insecure` is a key of the original. */
export function loadSample(source: ConfigSource) {
  return loadConfig({
    schema: sampleSchema,
    service: 'provisioner',
    source,
    originalKeys: ['choria_insecure'],
  });
}

/** What is wrong: each problem as `path: message`; nothing where loading succeeds. */
export function problemsOf(load: () => unknown): string[] {
  try {
    load();
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems.map(({ path: where, message }) => `${where}: ${message}`);
  }
}

/** Configuration files in folders of their own, until they are removed. */
export class ConfigFiles {
  readonly #folders: string[] = [];

  folder(): string {
    const made = mkdtempSync(join(tmpdir(), 'slipway-config-'));
    this.#folders.push(made);
    return made;
  }

  /** @returns the path of a file with this text */
  file(yaml: string): string {
    const file = join(this.folder(), 'provisioner.yaml');
    writeFileSync(file, yaml);
    return file;
  }

  remove(): void {
    for (const folder of this.#folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  }
}
