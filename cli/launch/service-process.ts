// One service as a child process: started from dist/, its output kept in a file, ended by its id.

import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { entryPoint, type ServiceName } from './project.js';

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
  /** Resolves when the process has ended. */
  readonly exited: Promise<Exit>;
  /** Sends a signal and resolves when the process has ended. */
  end(signal: NodeJS.Signals): Promise<Exit>;
}

export interface LaunchOptions {
  readonly service: ServiceName;
  readonly args: readonly string[];
  readonly logFile: string;
  /** Added to this process's environment. */
  readonly env?: NodeJS.ProcessEnv;
}

/**
 * Starts a service.
 *
 * @throws Error where the project is not built or the process cannot be started
 */
export async function launch(options: LaunchOptions): Promise<ServiceProcess> {
  const output = openSync(options.logFile, 'a');
  const child = spawn(process.execPath, [entryPoint(options.service), ...options.args], {
    // A group of its own: Ctrl-C reaches the launcher alone, which then ends services in order.
    detached: true,
    stdio: ['ignore', output, output],
    env: { ...process.env, ...options.env },
  });
  closeSync(output);
  const exited = new Promise<Exit>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  const pid = await started(child);
  return {
    service: options.service,
    pid,
    logFile: options.logFile,
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
