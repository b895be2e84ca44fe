import { describe, expect, test } from 'vitest';
import { newRunId, parseIdentity, type RunId } from '../../../shared/identity.js';
import { CrashingFiles } from '../../../test/fakes/crashing-files.js';
import { Slots } from '../slots.js';
import { committed, findRun, reached } from './node-state.js';
import { NodeStore } from './node-store.js';
import { readNodeState } from './read-node-state.js';
import { upgraded, upgradeFailed, upgrading } from './upgrade.js';

const identity = parseIdentity('node-1.example.net') ?? expect.fail();
const directory = '/nodes/node-1.example.net';
const now = 1_900_000_000_000;
const runId = newRunId();

function newStore(files: CrashingFiles): NodeStore {
  return new NodeStore({ identity, directory, files, disk: new Slots(4) });
}

function configure(store: NodeStore, by: RunId, provision: boolean): Promise<void> {
  const content = `plugin.choria.server.provision = ${provision}\n`;
  return store.saveWithFiles([{ path: 'server.conf', content, mode: 0o600 }], (state, staged) =>
    committed(state, by, { ...staged, digest: 'ab'.repeat(32) }, now),
  );
}

describe('an upgrade', () => {
  test('takes a configuration that waits with it', async () => {
    const files = new CrashingFiles();
    const store = newStore(files);
    await configure(store, runId, false);
    await store.save((state) => upgrading(state, runId, now));
    expect(await newStore(files).open(false, now)).toMatchObject({ provisioning: true });
    expect(await readNodeState(directory, files)).toMatchObject({ status: 'NONE', problems: [] });
  });

  test('leaves a configuration that the node has started with', async () => {
    const files = new CrashingFiles();
    await configure(newStore(files), runId, true);
    const store = newStore(files);
    await store.open(false, now);
    await store.save((state) => upgrading(state, newRunId(), now));
    expect(store.state.configuration?.status).toBe('INSTALLED');
  });

  test('that is done is told by the first start after it, and only by that', async () => {
    const files = new CrashingFiles();
    const store = newStore(files);
    await store.save((state) => upgrading(state, runId, now));
    await store.save((state) => upgraded(state, runId, '2.0', now));
    const next = newStore(files);
    expect(await next.open(false, now)).toEqual({ provisioning: true, upgraded: true });
    expect(next.state).toMatchObject({ release: '2.0' });
    expect(findRun(next.state, runId)?.stage).toBe('UPGRADED');
    const later = newStore(files);
    expect(await later.open(false, now)).toEqual({ provisioning: true, upgraded: false });
    expect(later.state.release).toBe('2.0');
  });

  test('that was cut off has failed, with the release before it', async () => {
    const files = new CrashingFiles();
    const store = newStore(files);
    await store.save((state) => upgrading(state, runId, now));
    const next = newStore(files);
    expect(await next.open(false, now + 5)).toEqual({ provisioning: true, upgraded: false });
    expect(next.state.release).toBeUndefined();
    expect(findRun(next.state, runId)).toMatchObject({ stage: 'FAILED', updatedAt: now + 5 });
    expect((await readNodeState(directory, files)).runs).toMatchObject([{ stage: 'FAILED' }]);
  });

  test('that failed leaves the release before it, whatever was written meanwhile', async () => {
    const store = newStore(new CrashingFiles());
    await store.save((state) => upgraded(state, newRunId(), '2.0', now));
    await store.save((state) => upgraded(state, runId, '3.0', now));
    await store.save((state) => upgradeFailed(state, runId, '2.0', now));
    expect(store.state).toMatchObject({ release: '2.0', upgraded: false });
    expect(findRun(store.state, runId)?.stage).toBe('FAILED');
  });
});

test('a manifest of a program that knew no upgrades is read', async () => {
  const files = new CrashingFiles();
  await files.makeDirectory(`${directory}/state`);
  const manifest = { format: 1, identity, configurations: 3, runs: [] };
  await files.write(`${directory}/state/manifest.json`, JSON.stringify(manifest), 0o600);
  const store = newStore(files);
  expect(await store.open(false, now)).toEqual({ provisioning: true, upgraded: false });
  expect(store.state).toMatchObject({
    configurations: 3,
    release: undefined,
    upgraded: false,
    formerHolds: [],
  });
});

test('a configured node that was told to restart once more has come up with its configuration', async () => {
  const files = new CrashingFiles();
  await configure(newStore(files), runId, false);
  const configured = newStore(files);
  await configured.open(false, now);
  await configured.save((state) => reached(state, runId, 'RESTARTING', now));
  const next = newStore(files);
  await next.open(false, now);
  expect(findRun(next.state, runId)?.stage).toBe('CONFIRMED');
});
