// Settings from the environment: SLIPWAY_ and the setting's name in upper case, with `_` between its parts. They
// win over the file.

import { z } from 'zod';
import { isMap } from './freeze.js';
import { nearest } from './nearest.js';
import { coreOf, type Setting } from './schema.js';

const prefix = 'SLIPWAY_';

/** Names the configuration file itself; no setting. */
export const configVariable = 'SLIPWAY_CONFIG';

/** Tell the slipway command where services are; they may stand in the environment of a service as well. */
const commandVariables: readonly string[] = ['SLIPWAY_PROVISIONER', 'SLIPWAY_DISCOVERY'];

/** Settings with those of the environment put over them. */
export interface Overlaid {
  readonly settings: Readonly<Record<string, unknown>>;
  /** By dotted path, the variable that a setting came from. */
  readonly variables: ReadonlyMap<string, string>;
  readonly warnings: readonly string[];
}

/** The variable that a setting is read from: SLIPWAY_TLS_MODE for `tls.mode`. */
export function variableOf(path: string): string {
  return prefix + path.toUpperCase().replaceAll(/[.-]/g, '_');
}

/**
 * Puts the environment's settings over the file's. Variables that are empty count as not set, as compose files
 * make them. Those that no setting has are only warned about: several services may share one environment.
 */
export function overlayEnvironment(
  fileSettings: Readonly<Record<string, unknown>>,
  settings: readonly Setting[],
  env: NodeJS.ProcessEnv,
  service: string,
): Overlaid {
  let overlaid = fileSettings;
  const variables = new Map<string, string>();
  const warnings: string[] = [];
  for (const { path, schema } of settings) {
    const variable = variableOf(path);
    const text = env[variable];
    if (text === undefined) continue;
    if (text.trim() === '') {
      warnings.push(`${variable} is empty and counts as not set`);
      continue;
    }
    overlaid = withSetting(overlaid, path.split('.'), fromText(text, schema));
    variables.set(path, variable);
  }
  return {
    settings: overlaid,
    variables,
    warnings: [...warnings, ...unknownVariables(settings, env, service)],
  };
}

function unknownVariables(settings: readonly Setting[], env: NodeJS.ProcessEnv, service: string): string[] {
  const known = new Set([configVariable, ...settings.map(({ path }) => variableOf(path))]);
  // Compared without what all variables share, which would make unlike names look alike.
  const names = [...known].map((variable) => variable.slice(prefix.length));
  return Object.keys(env)
    .filter((variable) => variable.startsWith(prefix) && !known.has(variable))
    .filter((variable) => !commandVariables.includes(variable))
    .sort()
    .map((variable) => {
      const meant = nearest(variable.slice(prefix.length), names);
      const hint = meant === undefined ? '' : `; did you mean ${prefix}${meant}?`;
      return `${variable} is no setting of ${service} and is ignored${hint}`;
    });
}

/** A copy with one setting changed. Where a map should be and is something else, the schema will say so. */
function withSetting(
  settings: Readonly<Record<string, unknown>>,
  [key = '', ...rest]: readonly string[],
  value: unknown,
): Readonly<Record<string, unknown>> {
  if (rest.length === 0) return { ...settings, [key]: value };
  const inner = settings[key] ?? {};
  return isMap(inner) ? { ...settings, [key]: withSetting(inner, rest, value) } : settings;
}

/** Makes of a text what the schema takes; a text that cannot be that stays one, for the schema to refuse. */
function fromText(text: string, schema: z.core.$ZodType): unknown {
  const core = coreOf(schema);
  const trimmed = text.trim();
  if (core instanceof z.ZodArray) {
    const parts = trimmed.split(',').map((part) => part.trim());
    return parts.filter((part) => part !== '').map((part) => fromText(part, core.element));
  }
  if (core instanceof z.ZodBoolean) return toBoolean(trimmed);
  if (core instanceof z.ZodNumber) return toNumber(trimmed);
  if (core instanceof z.ZodLiteral) return toLiteral(trimmed, core.values);
  if (core instanceof z.ZodUnion)
    return core.options.map((option) => fromText(text, option)).find(changed) ?? text;
  return trimmed;
}

function changed(value: unknown): boolean {
  return typeof value !== 'string';
}

function toBoolean(text: string): unknown {
  const folded = text.toLowerCase();
  return folded === 'true' || folded === 'false' ? folded === 'true' : text;
}

function toNumber(text: string): unknown {
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}

function toLiteral(text: string, values: ReadonlySet<unknown>): unknown {
  return [toBoolean(text), toNumber(text)].find((value) => values.has(value)) ?? text;
}
