// Runs a few lines of TypeScript as a process of its own, for tests of exit codes and signals.

import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** The message of a service's log once it runs. */
export const started = 'started';

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** The messages of the lines that were log lines. */
  readonly messages: readonly string[];
}

export interface Script {
  /** The first log line with this message; rejects if the process ends without. */
  line(message: string): Promise<Record<string, unknown>>;
  kill(signal: NodeJS.Signals): void;
  end(): Promise<Ended>;
}

/**
 * Starts a script; its log is expected on standard output.
 *
 * @param options what process.argv has beside the program, and the environment beside PATH
 */
export function runScript(
  source: string,
  options: { readonly args?: readonly string[]; readonly env?: NodeJS.ProcessEnv } = {},
): Script {
  // The `--` of `node -e` is not in process.argv; a program's own path is, and `-e` has none.
  const words = [
    '--import',
    'tsx',
    '--input-type=module',
    '-e',
    `process.argv.splice(1, 0, 'script');${source}`,
  ];
  const child = spawn(process.execPath, [...words, '--', ...(options.args ?? [])], {
    env: { PATH: process.env.PATH, ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A script that hangs must not outlive the test that started it.
    timeout: 30_000,
    killSignal: 'SIGKILL',
  });
  const output = { stdout: '', stderr: '' };
  const lines: Record<string, unknown>[] = [];
  const waiting = new Set<() => void>();
  child.stderr.on('data', (chunk: Buffer) => {
    output.stderr += chunk.toString();
  });
  createInterface({ input: child.stdout }).on('line', (line) => {
    output.stdout += `${line}\n`;
    if (line.startsWith('{')) lines.push(JSON.parse(line));
    for (const look of waiting) look();
  });
  const code = exitOf(child);
  return {
    line: (message) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = lines.find((line) => line.msg === message);
          if (found !== undefined) resolve(found);
        };
        waiting.add(look);
        look();
        void code.then(() => {
          look();
          reject(new Error(`ended without "${message}": ${output.stdout}${output.stderr}`));
        });
      }),
    kill: (signal) => child.kill(signal),
    end: async () => ({ code: await code, ...output, messages: lines.map((line) => String(line.msg)) }),
  };
}

/** Resolves when the process is gone and all its output was read. */
function exitOf(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => child.on('close', resolve));
}
