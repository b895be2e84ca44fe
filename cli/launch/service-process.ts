// One service as a child process: started from dist/, its output kept in a file, ended by its id. It ends by
// itself when the launcher is gone (follow-launcher.ts).

import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { builtFile, entryPoint, nodeOptions, type ServiceName } from './project.js';

/** How a process ended: its exit code, or the signal that ended it. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface ServiceProcess {
  readonly service: ServiceName;
  readonly pid: number;
  /** What it printed, appended over restarts. */
  readonly logFile: string;
  /** How it ended; undefined while it runs. */
  readonly exit: Exit | undefined;
  /** Resolves when the process has ended. */
  readonly exited: Promise<Exit>;
  /** Sends a signal and resolves when the process has ended. */
  end(signal: NodeJS.Signals): Promise<Exit>;
}

export interface LaunchOptions {
  readonly service: ServiceName;
  readonly args: readonly string[];
  readonly logFile: string;
}

/** A service ended that should not have. The message says how, and repeats what it said last. */
export class ServiceEndedError extends Error {
  override readonly name = 'ServiceEndedError';

  constructor({ service, exit, logFile }: ServiceProcess) {
    super(
      `${service} ended with ${exit?.code ?? exit?.signal}; its log ends:\n${lastLines(logFile, 5)}\n(${logFile})`,
    );
  }
}

/**
 * Starts a service.
 *
 * @throws Error where the project is not built or the process cannot be started
 */
export async function launch(options: LaunchOptions): Promise<ServiceProcess> {
  const output = openSync(options.logFile, 'a');
  const follow = pathToFileURL(builtFile('cli/launch/follow-launcher.js')).href;
  const program = [...nodeOptions(options.service), '--import', follow, entryPoint(options.service)];
  const child = spawn(process.execPath, [...program, ...options.args], {
    // A group of its own: Ctrl-C reaches the launcher alone, which then ends services in order.
    detached: true,
    stdio: ['pipe', output, output],
  });
  closeSync(output);
  let exit: Exit | undefined;
  const exited = new Promise<Exit>((resolve) => {
    child.once('exit', (code, signal) => {
      exit = { code, signal };
      resolve(exit);
    });
  });
  const pid = await started(child);
  return {
    service: options.service,
    pid,
    logFile: options.logFile,
    get exit() {
      return exit;
    },
    exited,
    end: (signal) => {
      child.kill(signal);
      return exited;
    },
  };
}

function started(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('spawn', () => resolve(child.pid ?? -1));
  });
}

function lastLines(file: string, count: number): string {
  return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-count).join('\n');
}
