// The life of a process: start, wait for a signal, stop, exit code. What runs in it is an App; where its settings
// come from is the caller's matter (run-service.ts for services, flags for the mock node).

import { sleep, systemClock } from '../clock.js';
import { ConfigError } from '../config/config-error.js';
import { routeLibraryLog } from '../grpc/library-log.js';
import type { Logger } from '../logger.js';
import { AddressError } from '../net/addresses.js';
import { ListenError } from '../net/listen-error.js';
import { stopSignals } from './early-signals.js';
import { StartError } from './start-error.js';

/** Something that runs until it is stopped. */
export interface App {
  /** Where it listens, by what it serves there. */
  readonly addresses: Readonly<Record<string, string>>;
  /** For an app that may come to an end by itself: resolves then, and the process exits with 0. */
  readonly done?: Promise<void>;
  /** Ends within the app's own grace period. */
  stop(): Promise<void>;
}

export interface ProcessOptions {
  readonly log: Logger;
  start(): Promise<App>;
}

/** How long a start that was told to stop may take to come to an end, so that it can be stopped in order. */
const startGraceMs = 5000;

/**
 * Starts the app and runs it until SIGTERM or SIGINT, which stop it; then the process exits. A second signal
 * exits at once, as does whatever nobody caught. Exit codes: 0 stopped as asked; 1 crashed, could not start, or
 * was told twice to stop; 2 bad configuration.
 */
export async function runProcess(options: ProcessOptions, process: NodeJS.Process): Promise<void> {
  const { log } = options;
  routeLibraryLog(log);
  const crash = (error: unknown, origin: string): never => {
    log.fatal({ err: error, origin }, 'crashed');
    process.exit(1);
  };
  process.on('uncaughtException', crash);
  try {
    await runUntilStopped(options, process);
  } catch (error) {
    const mendable = mendableReason(error);
    if (mendable === undefined) return crash(error, 'run');
    log.fatal(`cannot start: ${mendable}`);
    process.stderr.write(`cannot start: ${mendable}\n`);
    process.exit(error instanceof ConfigError ? 2 : 1);
  }
  process.exit(0);
}

async function runUntilStopped({ log, start }: ProcessOptions, process: NodeJS.Process): Promise<void> {
  const stopAsked = firstSignal(log, process);
  const hung = stopAsked.then(() => sleep(systemClock, startGraceMs));
  const app = await Promise.race([start(), hung]);
  if (app === undefined) {
    log.warn(`told to stop while starting, and not started ${startGraceMs} ms later: exiting`);
    return;
  }
  log.info({ addresses: app.addresses }, 'started');
  const why = await Promise.race([stopAsked, endOf(app)]);
  log.info({ why }, 'stopping');
  await app.stop();
  log.info('stopped');
}

/**
 * Resolves with the first signal; the next one ends the process. What was done on signals before there was
 * anything to stop (early-signals.ts) is done no more.
 */
function firstSignal(log: Logger, process: NodeJS.Process): Promise<string> {
  return new Promise((resolve) => {
    let asked = false;
    const onSignal = (signal: NodeJS.Signals) => {
      if (asked) {
        log.warn({ signal }, 'told a second time to stop: exiting at once');
        process.exit(1);
      }
      asked = true;
      resolve(signal);
    };
    for (const signal of stopSignals) {
      const before = process.listeners(signal);
      // Node.js loses a signal that is under way when its last listener goes: hence ours comes first.
      process.on(signal, onSignal);
      for (const listener of before) process.off(signal, listener);
    }
  });
}

/** What to tell whoever can mend it; undefined where it is a fault of the program. */
function mendableReason(error: unknown): string | undefined {
  const mendable =
    error instanceof ListenError ||
    error instanceof AddressError ||
    error instanceof StartError ||
    error instanceof ConfigError;
  return mendable ? error.message : undefined;
}

function endOf(app: App): Promise<string> {
  return app.done === undefined ? new Promise(() => {}) : app.done.then(() => 'came to its end');
}
