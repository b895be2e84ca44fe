// The services' logger: pino, JSON lines with service and site on every one. What must not be in a log is taken
// out here a second time; it should not have been passed in the first place (see Secret).

import { writeSync } from 'node:fs';
import { isatty } from 'node:tty';
import pino from 'pino';
import pretty from 'pino-pretty';
import { printableJson, shownJson } from './printable.js';

export type Logger = pino.Logger;
export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

export interface LoggerOptions {
  readonly service: string;
  readonly site: string;
  readonly level: LogLevel;
  /** `stdout`, or the path of a file to append to. */
  readonly logfile: string;
}

const removed = '[redacted]';

/** Compared without case, `_` and `-`. */
const secretKeys: ReadonlySet<string> = new Set([
  'authorization',
  'cht',
  'configuration',
  'configurationjson',
  'jwt',
  'keypem',
  'password',
  'privatekey',
  'proof',
  'secret',
  'seed',
  'serverjwt',
  'slipwayproof',
  'token',
]);

/** pino looks serializers up by the exact key; these are the spellings that child bindings might have. */
const secretBindings = [...secretKeys, 'configuration_json', 'key_pem', 'private_key', 'server_jwt'];

/** What is kept while the log cannot be written. */
const mostKeptBytes = 2 ** 20;

/** Below this nesting an object in a log line is cut off. */
const deepest = 6;

/**
 * Opens the log. Writing is synchronous: it costs microseconds, and nothing is lost when the process exits.
 * Pretty where standard output is a terminal.
 *
 * @throws the system's error where the log file cannot be opened
 */
export function createLogger(options: LoggerOptions): Logger {
  return loggerTo(openDestination(options.logfile), options);
}

/** Logs to a stream of the caller's: what {@link createLogger} does but for opening the destination. */
export function loggerTo(
  destination: pino.DestinationStream,
  options: Omit<LoggerOptions, 'logfile'>,
): Logger {
  return pino(
    {
      level: options.level,
      base: { service: options.service, site: options.site },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }), log: cleanObject },
      // Nodes and helpers have their word in logs, which people read on terminals.
      hooks: { streamWrite: printableJson },
      serializers: {
        ...Object.fromEntries(secretBindings.map((key) => [key, () => removed])),
        // Errors were made objects by `log` above; pino's own serializer would lose their type.
        err: (error: unknown) => error,
      },
    },
    destination,
  );
}

/** A logger that says nothing, for tests. */
export function silentLogger(): Logger {
  return pino({ level: 'silent' });
}

function openDestination(logfile: string): pino.DestinationStream {
  if (logfile !== 'stdout') return openLines(logfile);
  return isatty(1) ? prettyTo(1) : openLines(1);
}

/** Lines for people: what a terminal would obey in them is shown by its number, but for the line breaks of stacks. */
export function prettyTo(
  destination: number | NodeJS.WritableStream,
  colorize = true,
): pino.DestinationStream {
  const lines = pretty({ destination, sync: true, colorize, singleLine: true, ignore: 'service,site' });
  return { write: (line) => void lines.write(shownJson(line)) };
}

/**
 * A log that cannot be written, on a full disk for instance, must not end the work: its lines are kept until
 * there is room, dropped beyond what is kept, and standard error says so once.
 */
function openLines(dest: string | number): pino.DestinationStream {
  const destination = pino.destination({ dest, sync: true, maxLength: mostKeptBytes });
  let failing = false;
  destination.on('error', (error: Error) => {
    if (!failing) complain(`the log cannot be written, lines may be lost: ${error.message}\n`);
    failing = true;
  });
  destination.on('write', () => {
    failing = false;
  });
  return destination;
}

function complain(text: string): void {
  try {
    writeSync(2, text);
  } catch {
    // Standard error is full as well: nobody is left to tell.
  }
}

function cleanObject(fields: Record<string, unknown>, depth = 0): Record<string, unknown> {
  const cleaned: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(fields)) {
    cleaned[key] = isSecretKey(key) ? removed : clean(value, depth);
  }
  return cleaned;
}

function clean(value: unknown, depth: number): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= deepest) return '[deep]';
  if (value instanceof Error) return cleanObject({ ...pino.stdSerializers.err(value) }, depth + 1);
  if (value instanceof Uint8Array) return `[${value.length} bytes]`;
  if (Array.isArray(value)) return value.map((element) => clean(element, depth + 1));
  if ('toJSON' in value && typeof value.toJSON === 'function') return value.toJSON();
  return cleanObject({ ...value }, depth + 1);
}

function isSecretKey(key: string): boolean {
  return secretKeys.has(key) || secretKeys.has(key.toLowerCase().replaceAll(/[-_]/g, ''));
}
