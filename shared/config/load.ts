// Loads a service's configuration: file, environment over it, schema. Everything that is wrong is reported at
// once; nothing that was written is silently ignored (design, section 11).

import type { z } from 'zod';
import { ConfigError, type Problem } from './config-error.js';
import { type ConfigFile, type FileChoice, readConfigFile } from './config-file.js';
import { configVariable, type Overlaid, overlayEnvironment, variableOf } from './environment.js';
import { type DeepReadonly, deepFreeze } from './freeze.js';
import { problemsOf, sentenceOf } from './issues.js';
import { resolvePaths } from './paths.js';
import { settingsOf } from './schema.js';
import { unknownKeyProblem, unknownKeys } from './unknown-keys.js';

/** Where settings come from; the environment wins over the file. */
export interface ConfigSource {
  /** The file named on the command line. Without one, SLIPWAY_CONFIG or /etc/slipway/SERVICE.yaml. */
  readonly file: string | undefined;
  readonly env: NodeJS.ProcessEnv;
}

export interface LoadOptions<S extends z.ZodObject> {
  readonly schema: S;
  /** The service's name: `discovery`. */
  readonly service: string;
  readonly source: ConfigSource;
  /** Dotted keys of Choria Provisioner that have no meaning here: they warn. */
  readonly originalKeys?: readonly string[];
  /** Says what a configuration that is valid should be warned about. */
  readonly warn?: (config: DeepReadonly<z.output<S>>) => readonly string[];
}

export interface Loaded<Config> {
  /** Frozen at any depth. */
  readonly config: Config;
  readonly warnings: string[];
}

/**
 * Loads and checks the configuration of a service.
 *
 * @throws ConfigError with every problem, each with its path and where it was set
 */
export function loadConfig<S extends z.ZodObject>(
  options: LoadOptions<S>,
): Loaded<DeepReadonly<z.output<S>>> {
  const { schema, service, source } = options;
  const file = readConfigFile(chooseFile(source, service));
  const settings = settingsOf(schema);
  const overlaid = overlayEnvironment(file.settings, settings, source.env, service);
  const keys = judgeKeys(file, schema, options.originalKeys ?? []);
  const resolved = resolvePaths(overlaid.settings, schema, file.folder);
  const parsed = schema.safeParse(resolved, { error: sentenceOf });
  const problems = [
    ...keys.problems,
    ...(parsed.error?.issues ?? []).flatMap((issue) => problemsOf(issue)),
  ].map((problem) => withOrigin(problem, file, overlaid));
  if (!parsed.success || problems.length > 0) {
    throw new ConfigError(`the configuration of ${service} (${file.source} and the environment)`, problems, {
      notes: overlaid.warnings,
    });
  }
  const config = deepFreeze(parsed.data);
  const warnings = [
    ...file.warnings,
    ...overlaid.warnings,
    ...keys.warnings,
    ...(options.warn?.(config) ?? []),
  ];
  return { config, warnings };
}

function chooseFile(source: ConfigSource, service: string): FileChoice {
  if (source.file !== undefined) return { path: source.file, namedBy: '--config' };
  const named = source.env[configVariable];
  if (named !== undefined && named !== '') return { path: named, namedBy: configVariable };
  return { path: `/etc/slipway/${service}.yaml`, namedBy: undefined };
}

function judgeKeys(file: ConfigFile, schema: z.ZodObject, originalKeys: readonly string[]) {
  const known = knownPaths(schema);
  const problems: Problem[] = [];
  const warnings: string[] = [];
  for (const path of unknownKeys(file.settings, schema)) {
    if (originalKeys.includes(path)) {
      warnings.push(`${path} is a setting of Choria Provisioner that has no meaning here; it is ignored`);
    } else {
      problems.push(unknownKeyProblem(path, known));
    }
  }
  return { problems, warnings };
}

/** Settings and the maps that they stand in. */
function knownPaths(schema: z.ZodObject): string[] {
  const paths = settingsOf(schema).flatMap(({ path }) => {
    const parts = path.split('.');
    return parts.map((_, index) => parts.slice(0, index + 1).join('.'));
  });
  return [...new Set(paths)];
}

/** Says where a setting came from, so that the right place is corrected. */
function withOrigin(problem: Problem, file: ConfigFile, overlaid: Overlaid): Problem {
  const { path, message } = problem;
  const setting = path.replace(/\[.*$/s, '');
  const variable = overlaid.variables.get(setting);
  if (variable !== undefined) return { path, message: `${message} (from ${variable})` };
  if (message.startsWith('is required'))
    return { path, message: `${message} (or set ${variableOf(setting)})` };
  const line = file.lineOf(pathParts(path)) ?? file.lineOf(pathParts(setting));
  if (line !== undefined) return { path, message: `${message} (line ${line})` };
  return problem;
}

function pathParts(path: string): (string | number)[] {
  return path
    .split(/[.[]/)
    .map((part) => (part.endsWith(']') ? Number(part.slice(0, -1)) : part))
    .filter((part) => part !== '');
}
