import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../../../test/fakes/fake-clock.js';
import { RecordingSink } from '../../../test/fakes/recording-sink.js';
import { OperatorPause, PauseNotKeptError, type PauseStore } from './pause.js';
import { PauseFile } from './pause-file.js';

let folder: string;
let sink: RecordingSink;
let calls: string[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-pause-'));
  sink = new RecordingSink();
  calls = [];
});

afterEach(() => rm(folder, { recursive: true }));

function newPause(store: PauseStore = new PauseFile(folder)): OperatorPause {
  return new OperatorPause({
    store,
    clock: new FakeClock(1_000),
    sink,
    paused: () => calls.push('paused'),
    resumed: () => calls.push('resumed'),
  });
}

describe("an operator's pause", () => {
  it('survives a restart, with who asked and why', async () => {
    await newPause().pause('10.0.0.1', 'maintenance');
    const restarted = newPause();
    await restarted.restore();
    expect(restarted.note).toEqual({ since: 1_000, by: '10.0.0.1', message: 'maintenance' });
    expect(calls).toEqual(['paused', 'paused']);
    expect(sink.events).toEqual([{ type: 'PAUSED', by: '10.0.0.1', message: 'maintenance' }]);
  });

  it('is over after a resume, also for the next start', async () => {
    const pause = newPause();
    await pause.pause('', '');
    await pause.resume('', 'done');
    const restarted = newPause();
    await restarted.restore();
    expect(restarted.note).toBeUndefined();
    expect(calls).toEqual(['paused', 'resumed']);
    expect(await readdir(folder)).toEqual([]);
  });

  it('said twice is said once', async () => {
    const pause = newPause();
    await pause.pause('', 'first');
    await pause.pause('', 'second');
    expect(pause.note?.message).toBe('first');
    await pause.resume('', '');
    await pause.resume('', '');
    expect(calls).toEqual(['paused', 'resumed']);
    expect(sink.types).toEqual(['PAUSED', 'RESUMED']);
  });

  it('is kept as it was last said, however quickly it changes', async () => {
    const pause = newPause();
    await Promise.all([pause.pause('', 'a'), pause.resume('', ''), pause.pause('', 'b')]);
    const restarted = newPause();
    await restarted.restore();
    expect(restarted.note?.message).toBe('b');
  });

  it('takes effect also where it cannot be kept, and says so', async () => {
    const full = new Error('no space left on device');
    const pause = newPause({
      load: () => Promise.resolve(undefined),
      save: () => Promise.reject(full),
      clear: () => Promise.reject(full),
    });
    await expect(pause.pause('', '')).rejects.toThrow(PauseNotKeptError);
    expect(calls).toEqual(['paused']);
    await expect(pause.resume('', '')).rejects.toThrow(/no space left/);
    expect(calls).toEqual(['paused', 'resumed']);
  });
});

describe('the file of a pause', () => {
  it('is a pause while it is there, also where nobody can read what it says', async () => {
    await writeFile(join(folder, 'paused.json'), '{"since":');
    expect(await new PauseFile(folder).load()).toEqual({ since: 0, by: '', message: '' });
  });

  it('refuses the start, naming the file, where it cannot be read', async () => {
    await mkdir(join(folder, 'paused.json'));
    await expect(new PauseFile(folder).load()).rejects.toThrow(join(folder, 'paused.json'));
  });

  it('is not there where the folder is not, and makes the folder when it is needed', async () => {
    const file = new PauseFile(join(folder, 'state'));
    expect(await file.load()).toBeUndefined();
    await file.clear();
    await file.save({ since: 5, by: '', message: 'x' });
    expect(JSON.parse(await readFile(join(folder, 'state', 'paused.json'), 'utf8'))).toMatchObject({
      since: 5,
    });
  });
});
