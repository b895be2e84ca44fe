// A process that writes the event log, killed with SIGKILL again and again.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { EventLog } from '../../services/provisioner/events/log/event-log.js';
import { openStore } from '../../services/provisioner/events/log/open.js';
import { systemClock } from '../../shared/clock.js';
import { Event } from '../../shared/gen/slipway/provisioner/v1/events.js';
import { silentLogger } from '../../shared/logger.js';

const kills = 20;
const writer = fileURLToPath(new URL('./event-log-writer.ts', import.meta.url));
const follow = pathToFileURL(join(import.meta.dirname, '../../cli/launch/follow-launcher.ts')).href;

/** Lets it write until it was told of so many commits, and kills it. @returns the last number that it told */
async function writeAndKill(dataDir: string, commits: number): Promise<number> {
  const args = ['--import', 'tsx', '--import', follow, writer, dataDir];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'exit');
  let told = '';
  let heard = 0;
  child.stdout.on('data', (chunk: Buffer) => {
    told += chunk;
    heard += 1;
    if (heard >= commits) child.kill('SIGKILL');
  });
  expect(await ended).toEqual([null, 'SIGKILL']);
  return Number(told.split('\n').at(-2));
}

test('no event that was committed is lost or told twice, whenever the writer is killed', {
  timeout: 240_000,
}, async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'slipway-kills-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true }));
  const ids = new Map<number, string>();
  let logId: string | undefined;
  for (let kill = 0; kill < kills; kill += 1) {
    const told = await writeAndKill(dataDir, 1 + (kill % 7));
    const log = silentLogger();
    const store = await openStore({ dataDir, site: 'lab', clock: systemClock, log });
    const retention = { maxCount: 1_000_000, maxAgeMs: 86_400_000 };
    const events = new EventLog({ store, clock: systemClock, log, encode: () => Buffer.alloc(0), retention });
    logId ??= events.logId;
    expect(events.logId).toBe(logId);
    expect(events.last).toBeGreaterThanOrEqual(told);
    const items = events.read(0, 1_000_000);
    expect(items).toHaveLength(events.last);
    items.forEach((item, index) => {
      if (item.kind === 'GAP') throw new Error(`a gap from ${item.first} to ${item.last}`);
      const { sequence, id } = Event.decode(item.bytes);
      expect(Number(sequence)).toBe(index + 1);
      expect(ids.get(index + 1) ?? id).toBe(id);
      ids.set(index + 1, id);
    });
    await events.close();
  }
  expect(ids.size).toBeGreaterThan(kills);
  expect(new Set(ids.values()).size).toBe(ids.size);
});
