// Reads the YAML of a configuration file, and remembers on which line each setting stands. What the settings
// mean is the schema's matter.

import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { type Document, isNode, LineCounter, parseDocument, visit, type YAMLError } from 'yaml';
import { ConfigError, type Problem } from './config-error.js';
import { describeKind } from './describe.js';
import { isMap } from './freeze.js';

export interface ConfigFile {
  /** The file's path, and that it is not there where it is not, for messages. */
  readonly source: string;
  /** What relative paths are relative to. */
  readonly folder: string;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly warnings: readonly string[];
  /** The line, from 1, on which a setting stands. */
  lineOf(path: readonly (string | number)[]): number | undefined;
}

/** Which file is read, and whether somebody named it. */
export interface FileChoice {
  readonly path: string;
  /** Who named it: `--config`, `SLIPWAY_CONFIG`; undefined for the default, which may be missing. */
  readonly namedBy: string | undefined;
}

/** Reads a configuration file; a default one that is missing counts as empty. */
export function readConfigFile({ path, namedBy }: FileChoice): ConfigFile {
  const absolute = resolve(path);
  let text: string;
  try {
    text = readFileSync(absolute, 'utf8');
  } catch (error) {
    if (namedBy === undefined && hasCode(error, 'ENOENT')) return missing(absolute);
    const named = namedBy === undefined ? '' : ` (named by ${namedBy})`;
    throw new ConfigError(`${absolute}${named}`, [{ path: '', message: whyUnreadable(error) }], {
      cause: error,
    });
  }
  return parseConfig(text, absolute);
}

/** Parses the text of a configuration file. Every error of syntax is reported, with line and column. */
function parseConfig(text: string, absolute: string): ConfigFile {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, stringKeys: true });
  const at = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return `line ${line}, column ${col}`;
  };
  const problems = document.errors.map(
    (error): Problem => ({ path: '', message: `${at(error.pos[0])}: ${sentence(error, text)}` }),
  );
  if (problems.length === 0) problems.push(...aliasProblems(document, at));
  if (problems.length > 0) throw new ConfigError(absolute, problems);
  return {
    source: absolute,
    folder: dirname(absolute),
    settings: settingsIn(document, absolute),
    warnings: document.warnings.map(
      (warning) => `${absolute}, ${at(warning.pos[0])}: ${sentence(warning, text)}`,
    ),
    lineOf: (path) => lineOf(document, lines, path),
  };
}

function missing(absolute: string): ConfigFile {
  return {
    source: `${absolute} (which does not exist)`,
    folder: resolve(),
    settings: {},
    warnings: [],
    lineOf: () => undefined,
  };
}

function settingsIn(document: Document, absolute: string): Record<string, unknown> {
  let settings: unknown;
  try {
    settings = document.toJS() ?? {};
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new ConfigError(absolute, [{ path: '', message }], { cause: error });
  }
  if (isMap(settings)) return settings;
  const message = `expected a map of settings (name: value), got ${describeKind(settings)}`;
  throw new ConfigError(absolute, [{ path: '', message }]);
}

function lineOf(document: Document, lines: LineCounter, path: readonly (string | number)[]) {
  const node = document.getIn(path, true);
  const offset = isNode(node) ? node.range?.[0] : undefined;
  return offset === undefined ? undefined : lines.linePos(offset).line;
}

/** An address such as [::1]:7410, which YAML takes for a list. */
const bareIpv6 = /\[[0-9a-f:.]*:[0-9a-f:.]*\]$/i;

/** Nothing of the file is quoted, where secrets stand: what the library says of some errors would. */
function sentence(error: YAMLError, text: string): string {
  switch (error.code) {
    case 'DUPLICATE_KEY':
      return 'this key is there twice';
    case 'TAB_AS_INDENT':
      return 'tabs cannot indent YAML; use spaces';
    case 'MULTIPLE_DOCS':
      return 'another document begins here, and a configuration is one';
    case 'UNEXPECTED_TOKEN':
      if (bareIpv6.test(text.slice(0, error.pos[0]))) return 'put an IPv6 address in quotes: "[::1]:7410"';
      return `invalid YAML: nothing of the kind may stand here; ${inQuotes}`;
    case 'TAG_RESOLVE_FAILED':
    case 'BAD_COLLECTION_TYPE':
      return `YAML takes what begins with ! for a tag, and this one is not known; ${inQuotes}`;
    case 'BAD_DIRECTIVE':
      return 'YAML takes a line that begins with % for a directive, and this one is not known';
    case 'BAD_DQ_ESCAPE':
      return String.raw`invalid YAML: between double quotes \ begins an escape, and this is none; use single quotes`;
    default:
      return `invalid YAML: ${error.message}`;
  }
}

const inQuotes = 'a value with special characters has to be in quotes';

/** Those of no anchor, which would be noticed, and quoted, when values are made of the document. */
function aliasProblems(document: Document, at: (offset: number) => string): Problem[] {
  const problems: Problem[] = [];
  visit(document, {
    Alias: (_key, alias) => {
      if (alias.resolve(document) !== undefined) return;
      const message = `YAML takes what begins with * for an alias, and nothing has that name; ${inQuotes}`;
      problems.push({ path: '', message: `${at(alias.range?.[0] ?? 0)}: ${message}` });
    },
  });
  return problems;
}

function whyUnreadable(error: unknown): string {
  if (hasCode(error, 'ENOENT')) return 'the configuration file does not exist';
  if (hasCode(error, 'EACCES')) return 'the configuration file may not be read by this user';
  if (hasCode(error, 'EISDIR')) return 'this is a folder, not a configuration file';
  return `the configuration file cannot be read: ${error instanceof Error ? error.message : String(error)}`;
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
