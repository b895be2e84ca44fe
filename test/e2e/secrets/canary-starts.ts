// Services that are started with something wrong about their secrets, and what they say of it.

import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { entryPoint, type ServiceName } from '../../../cli/launch/project.js';

export interface FailedStart {
  readonly name: string;
  readonly service: ServiceName;
  /** Settings, the text of a file of them, or flags. */
  readonly settings: object | string | readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export interface FailedStartResult {
  readonly name: string;
  readonly code: number | null;
  /** Standard output and error. */
  readonly said: string;
}

/** Starts a service that cannot start, and resolves when it has ended. */
export function startInVain(folder: string, start: FailedStart): Promise<FailedStartResult> {
  const { name, service, settings, env = {} } = start;
  const args = Array.isArray(settings) ? settings : ['--config', writeSettings(folder, name, settings)];
  const child = spawn(process.execPath, [entryPoint(service), ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 100_000,
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  }
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ name, code, said }));
  });
}

function writeSettings(folder: string, name: string, settings: object | string): string {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${name}.yaml`);
  writeFileSync(path, typeof settings === 'string' ? settings : stringify(settings));
  return path;
}
