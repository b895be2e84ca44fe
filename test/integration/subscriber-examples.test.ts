// The example subscribers, run as they are: killed, resumed, and told of what is missing.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { plain } from '../fakes/fake-event-log.js';
import { serveEvents } from './events-support.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const python = process.env.PYTHON ?? 'python3';
const withoutPython = spawnSync(python, ['-c', 'import grpc_tools, grpc']).status !== 0;

const folder = mkdtempSync(join(tmpdir(), 'slipway-subscribers-'));
afterAll(() => rmSync(folder, { recursive: true }));

beforeAll(() => {
  if (withoutPython) return;
  const protos = join(root, 'proto/slipway/provisioner/v1');
  const files = readdirSync(protos).map((name) => join(protos, name));
  const out = [`--python_out=${folder}`, `--grpc_python_out=${folder}`];
  const made = spawnSync(python, ['-m', 'grpc_tools.protoc', '-I', join(root, 'proto'), ...out, ...files]);
  expect(made.stderr.toString()).toBe('');
}, 60_000);

/** A subscriber as a process, and the lines that it has printed. */
class Subscriber {
  readonly lines: string[] = [];
  readonly errors: string[] = [];
  readonly ended: Promise<number | null>;
  readonly #child: ChildProcess;

  constructor(command: readonly string[], address: string, positionFile: string) {
    const [program = '', ...words] = command;
    this.#child = spawn(program, [...words, address, positionFile], {
      cwd: root,
      env: { ...process.env, PYTHONPATH: folder, SLIPWAY_TLS_MODE: 'insecure' },
    });
    collect(this.#child.stdout, this.lines);
    collect(this.#child.stderr, this.errors);
    this.ended = new Promise((resolve) => this.#child.once('close', resolve));
    onTestFinished(() => void this.#child.kill('SIGKILL'));
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.ended;
  }

  /** Waits until the last line begins so. */
  async upTo(beginning: string): Promise<void> {
    await expect
      .poll(() => this.lines.at(-1) ?? this.errors.join('\n'), { timeout: 20_000 })
      .toMatch(new RegExp(`^${beginning}\\b`));
  }
}

function collect(stream: NodeJS.ReadableStream | null, lines: string[]): void {
  let rest = '';
  stream?.on('data', (chunk: Buffer) => {
    const parts = (rest + chunk).split('\n');
    rest = parts.pop() ?? '';
    lines.push(...parts);
  });
}

const languages = [
  {
    file: 'subscriber.ts',
    command: [process.execPath, '--import', 'tsx', 'examples/subscribers/subscriber.ts'],
    missing: false,
  },
  { file: 'subscriber.py', command: [python, 'examples/subscribers/subscriber.py'], missing: withoutPython },
];

describe.each(languages)('$file', ({ file, command, missing }) => {
  it.skipIf(missing)('goes on where it was, and says what it has missed', async () => {
    const { log, server } = await serveEvents();
    const positionFile = join(folder, `${file}.json`);
    const start = () => new Subscriber(command, server.address, positionFile);
    const kept = () => JSON.parse(readFileSync(positionFile, 'utf8'));

    const first = start();
    log.append([
      { type: 'HOST_QUEUED', identity: 'n1' },
      { type: 'RUN_STARTED', identity: 'n1' },
    ]);
    await first.upTo('2');
    expect(first.lines).toEqual(['1 EVENT_TYPE_HOST_QUEUED n1', '2 EVENT_TYPE_RUN_STARTED n1']);
    await expect.poll(kept).toEqual({ log_id: log.logId, sequence: 2 });
    await first.kill();

    log.append(plain(10));
    log.removeUpTo(6);
    log.lose(5);
    const second = start();
    await second.upTo('missed 13');
    expect(second.lines.map((line) => line.replace(` of log ${log.logId}`, ''))).toEqual([
      'missed 3 to 6: GAP_REASON_RETENTION',
      ...[7, 8, 9, 10, 11, 12].map((number) => `${number} EVENT_TYPE_HOST_QUEUED`),
      'missed 13 to 17: GAP_REASON_WRITE_FAILED',
    ]);
    await expect.poll(kept).toEqual({ log_id: log.logId, sequence: 17 });
    await second.kill();

    const former = log.logId;
    log.logId = 'c0ffee00-8f43-4d2c-9a76-5f6f3c1d2e01';
    const third = start();
    await third.upTo('missed 13');
    expect(third.lines[0]).toBe(`missed 18 to its end of log ${former}: GAP_REASON_LOG_REPLACED`);
    await expect.poll(kept).toEqual({ log_id: log.logId, sequence: 17 });
  });

  it.skipIf(missing)(
    'comes back after the provisioner was away, and ends where that is of no use',
    async () => {
      const { log, server } = await serveEvents();
      const positionFile = join(folder, `${file}-away.json`);
      const subscriber = new Subscriber(command, server.address, positionFile);
      log.append(plain(3));
      await subscriber.upTo('3');
      await server.stop(0);
      const again = await serveEvents({}, server.address);
      again.log.append(plain(2));
      expect(await subscriber.ended).not.toBe(0);
      expect(subscriber.errors.join('\n')).toMatch(/trying again.*has no event 3: its last one is 2/s);
    },
    60_000,
  );
});
