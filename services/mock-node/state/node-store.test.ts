import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { newRunId, parseIdentity, type RunId } from '../../../shared/identity.js';
import { CrashingFiles, PowerLossError } from '../../../test/fakes/crashing-files.js';
import { Slots } from '../slots.js';
import { adopted, committed, findRun, reached, waitsAlready, withdrawn } from './node-state.js';
import { NodeStore } from './node-store.js';
import type { FileContent } from './placement.js';
import { readNodeState } from './read-node-state.js';

const identity = parseIdentity('node-1.example.net') ?? fail();
const directory = '/nodes/node-1.example.net';
const now = 1_900_000_000_000;

function fail(): never {
  throw new Error('not an identity');
}

function newStore(files: CrashingFiles): NodeStore {
  return new NodeStore({ identity, directory, files, disk: new Slots(4) });
}

/** A configuration of which every file says which one it is. */
function contents(version: number, provision = false): FileContent[] {
  const settings = `plugin.choria.server.provision = ${provision}\nversion = ${version}\n`;
  const files: FileContent[] = [{ path: 'server.conf', content: settings, mode: 0o600 }];
  for (let policy = 0; policy <= version % 3; policy++) {
    files.push({ path: `policies/p${policy}.policy`, content: `policy of ${version}`, mode: 0o644 });
  }
  if (version % 2 === 0) files.push({ path: 'opa/o.rego', content: `rego of ${version}`, mode: 0o644 });
  return files;
}

function digestOf(version: number): string {
  return version.toString(16).padStart(64, '0');
}

async function configure(store: NodeStore, runId: RunId, version: number, provision = false): Promise<void> {
  const digest = digestOf(version);
  if (waitsAlready(store.state, digest)) {
    await store.save((state) => adopted(state, runId, now));
    return;
  }
  await store.saveWithFiles(contents(version, provision), (state, staged) =>
    committed(state, runId, { ...staged, digest }, now),
  );
}

describe('a start', () => {
  test('of an untouched node is in provisioning mode and writes nothing', async () => {
    const files = new CrashingFiles();
    expect(await newStore(files).open(false, now)).toEqual({ provisioning: true, upgraded: false });
    expect(files.operations).toBe(0);
  });

  test('installs what was committed and confirms its run', async () => {
    const files = new CrashingFiles();
    const store = newStore(files);
    await store.open(false, now);
    const runId = newRunId();
    await configure(store, runId, 2);
    expect((await readNodeState(directory, files)).status).toBe('COMMITTED');

    const next = newStore(files);
    expect(await next.open(false, now)).toEqual({ provisioning: false, upgraded: false });
    expect(findRun(next.state, runId)?.stage).toBe('CONFIRMED');
    expect(await readNodeState(directory, files)).toMatchObject({
      identity,
      configurations: 1,
      runId,
      digest: digestOf(2),
      status: 'INSTALLED',
      confirmed: true,
      problems: [],
    });
    expect(await files.list(`${directory}/state`)).toEqual(['manifest.json']);
  });

  test('with a configuration that enables provisioning does not confirm it', async () => {
    const files = new CrashingFiles();
    const store = newStore(files);
    await store.open(false, now);
    await configure(store, newRunId(), 1, true);
    const next = newStore(files);
    expect(await next.open(false, now)).toEqual({ provisioning: true, upgraded: false });
    expect((await readNodeState(directory, files)).confirmed).toBe(false);
  });

  test('goes by the default where the configuration does not say', async () => {
    const files = new CrashingFiles();
    const store = newStore(files);
    await store.open(false, now);
    await store.saveWithFiles([{ path: 'server.conf', content: 'a = 1\n', mode: 0o600 }], (state, staged) =>
      committed(state, newRunId(), { ...staged, digest: digestOf(1) }, now),
    );
    expect(await newStore(files).open(true, now)).toEqual({ provisioning: true, upgraded: false });
    expect(await newStore(files).open(false, now)).toEqual({ provisioning: false, upgraded: false });
  });

  test('removes every file of a withdrawn configuration and keeps the count', async () => {
    const files = new CrashingFiles();
    const store = newStore(files);
    await configure(store, newRunId(), 2);
    const configured = newStore(files);
    await configured.open(false, now);
    await configured.save(withdrawn);

    const next = newStore(files);
    expect(await next.open(false, now)).toEqual({ provisioning: true, upgraded: false });
    expect(await files.list(directory)).toEqual(['state']);
    expect(next.state).toMatchObject({ configurations: 1, configuration: undefined });
  });

  test('keeps the hold until the node is configured', async () => {
    const files = new CrashingFiles();
    const store = newStore(files);
    const hold = { site: 'default', fence: 2n ** 60n, runId: newRunId(), lastCallAt: now };
    await store.save((state) => ({ ...state, hold }));
    const second = newStore(files);
    await second.open(false, now);
    expect(second.state.hold).toEqual(hold);
    await configure(second, hold.runId, 1);
    const third = newStore(files);
    await third.open(false, now);
    expect(third.state.hold).toBeUndefined();
  });
});

test('the same content twice is one configuration, of the later run', async () => {
  const files = new CrashingFiles();
  const store = newStore(files);
  await configure(store, newRunId(), 1);
  const later = newRunId();
  await configure(store, later, 1);
  expect(store.state).toMatchObject({ configurations: 1, configuration: { runId: later } });
  await configure(store, later, 2);
  expect(store.state.configurations).toBe(2);
});

test('what is thrown before the commit leaves everything as it was', async () => {
  const files = new CrashingFiles();
  const store = newStore(files);
  const commit = store.saveWithFiles(
    contents(1),
    (state, staged) => committed(state, newRunId(), { ...staged, digest: digestOf(1) }, now),
    () => {
      throw new Error('gave up');
    },
  );
  await expect(commit).rejects.toThrow('gave up');
  expect(store.state.configuration).toBeUndefined();
  expect(await files.list(`${directory}/state`)).not.toContainEqual(expect.stringContaining('staging-'));
  files.reboot((all) => all);
  expect(await newStore(files).open(false, now)).toEqual({ provisioning: true, upgraded: false });
});

test('only the latest runs are remembered', async () => {
  const files = new CrashingFiles();
  const store = newStore(files);
  const runs = Array.from({ length: 20 }, newRunId);
  for (const runId of runs) await store.save((state) => reached(state, runId, 'FAILED', now));
  expect(store.state.runs.map((run) => run.runId)).toEqual(runs.slice(-16));
});

test('a configuration is confirmed with its digest also where its run was forgotten meanwhile', async () => {
  const files = new CrashingFiles();
  const store = newStore(files);
  const runId = newRunId();
  await configure(store, runId, 1);
  for (let run = 0; run < 20; run++) await store.save((state) => reached(state, newRunId(), 'FAILED', now));
  const next = newStore(files);
  await next.open(false, now);
  expect(findRun(next.state, runId)).toMatchObject({ stage: 'CONFIRMED', configurationDigest: digestOf(1) });
});

test('a manifest that cannot be understood is an error, not an untouched node', async () => {
  const files = new CrashingFiles();
  await files.makeDirectory(`${directory}/state`);
  await files.write(`${directory}/state/manifest.json`, '{"format":2}', 0o600);
  await expect(newStore(files).open(false, now)).rejects.toThrow(/format/);
});

type Step =
  | { readonly kind: 'configure'; readonly version: number }
  | { readonly kind: 'withdraw' | 'start' };

/** What a step leaves behind once the node has started after it. */
function outcome(before: number | undefined, step: Step): number | undefined {
  switch (step.kind) {
    case 'configure':
      return step.version;
    case 'withdraw':
      return undefined;
    case 'start':
      return before;
  }
}

const steps: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('configure' as const), version: fc.nat(5) }) },
  { weight: 2, arbitrary: fc.constant({ kind: 'start' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'withdraw' as const }) },
);

async function run(store: NodeStore, files: CrashingFiles, step: Step): Promise<NodeStore> {
  switch (step.kind) {
    case 'configure':
      await configure(store, newRunId(), step.version);
      return store;
    case 'withdraw':
      await store.save(withdrawn);
      return store;
    case 'start': {
      const next = newStore(files);
      await next.open(false, now);
      return next;
    }
  }
}

/** Starts after a crash and tells which configuration the node has, having seen that it is of a piece. */
async function versionAfterStart(files: CrashingFiles): Promise<number | undefined> {
  const store = newStore(files);
  const { provisioning } = await store.open(false, now);
  const onDisk = await readNodeState(directory, files);
  expect(onDisk.problems).toEqual([]);
  const { configuration } = store.state;
  const text = onDisk.settings.get('version');
  expect(provisioning).toBe(text === undefined);
  expect(configuration?.digest).toBe(text === undefined ? undefined : digestOf(Number(text)));
  expect(await files.list(`${directory}/state`)).not.toContainEqual(expect.stringContaining('staging-'));
  return text === undefined ? undefined : Number(text);
}

test('a crash within any operation leaves all of the old or all of the new', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(steps, { minLength: 1, maxLength: 6 }),
      fc.nat(1000),
      fc.nat(1000),
      fc.nat(1000),
      async (history, crashAt, crashAgainAt, kept) => {
        const files = new CrashingFiles();
        let store = newStore(files);
        await files.makeDirectory(`${directory}/state`);
        await store.open(false, now);
        let acknowledged: number | undefined;
        let attempted: number | undefined;
        files.crashAt(1 + (crashAt % 60));
        try {
          for (const step of history) {
            attempted = outcome(acknowledged, step);
            store = await run(store, files, step);
            acknowledged = attempted;
          }
        } catch (error) {
          if (!(error instanceof PowerLossError)) throw error;
        }
        files.reboot((unsynced) => kept % (unsynced + 1));
        // The start after it is cut short as well.
        files.crashAt(1 + (crashAgainAt % 12));
        await newStore(files)
          .open(false, now)
          .catch((error) => {
            if (!(error instanceof PowerLossError)) throw error;
          });
        files.reboot((unsynced) => (kept * 7) % (unsynced + 1));
        expect([acknowledged, attempted]).toContain(await versionAfterStart(files));
      },
    ),
    { numRuns: 400 },
  );
});

test('a crash within every single operation of one replacement leaves one of the two whole', async () => {
  for (const kept of [(n: number) => n, () => 0, (n: number) => n >> 1]) {
    let crashed = true;
    for (let operation = 1; crashed; operation++) {
      const files = new CrashingFiles();
      const store = await run(newStore(files), files, { kind: 'configure', version: 4 });
      const configured = await run(store, files, { kind: 'start' });
      files.crashAt(operation);
      crashed = await run(configured, files, { kind: 'configure', version: 5 })
        .then((after) => run(after, files, { kind: 'start' }))
        .then(
          () => false,
          (error) => {
            if (!(error instanceof PowerLossError)) throw error;
            return true;
          },
        );
      files.reboot(kept);
      expect([4, 5]).toContain(await versionAfterStart(files));
    }
  }
});
