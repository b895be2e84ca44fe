import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { newRunId, parseIdentity } from '../../../shared/identity.js';
import { ed25519KeyFromSeed, rawPublicKey } from '../../../shared/trust/raw-keys.js';
import { makeCertificate, type TestCertificate } from '../../../test/fakes/certificates.js';
import { CrashingFiles, PowerLossError } from '../../../test/fakes/crashing-files.js';
import { Slots } from '../slots.js';
import { committed, reached, withdrawn } from './node-state.js';
import { NodeStore } from './node-store.js';
import type { FileContent } from './placement.js';
import { readNodeState } from './read-node-state.js';

const identity = parseIdentity('node-1.example.net') ?? expect.fail();
const directory = '/nodes/node-1.example.net';
const now = 1_900_000_000_000;

/** Certificates with their keys: what is made for requests, and what helpers send. */
let pairs: TestCertificate[];

beforeAll(async () => {
  pairs = await Promise.all(Array.from({ length: 6 }, () => makeCertificate()));
});

function pair(index: number): TestCertificate {
  return pairs[index % pairs.length] ?? expect.fail();
}

function seedOf(index: number): string {
  return Buffer.alloc(32, index + 1).toString('hex');
}

function tokenFor(seed: string): string {
  const publicKey = rawPublicKey(ed25519KeyFromSeed(Buffer.from(seed, 'hex'))).toString('hex');
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'EdDSA' })}.${part({ public_key: publicKey })}.AA`;
}

function newStore(files: CrashingFiles): NodeStore {
  return new NodeStore({ identity, directory, files, disk: new Slots(4) });
}

async function start(files: CrashingFiles): Promise<NodeStore> {
  const store = newStore(files);
  await store.open(false, now);
  return store;
}

async function makeSeed(store: NodeStore, index: number): Promise<void> {
  const seed = { path: 'server.seed', content: seedOf(index), mode: 0o600 };
  const change = (state: NodeStore['state']) => reached(state, newRunId(), 'KEYED', now);
  await store.replaceKeys([seed], ['server.jwt'], change, () => {});
}

async function makeRequest(store: NodeStore, index: number): Promise<void> {
  const keys = [
    { path: 'ssl/private.pem', content: pair(index).keyPem, mode: 0o600 },
    { path: 'ssl/csr.pem', content: `request ${index}`, mode: 0o644 },
  ];
  const madeForOldOnes = ['ssl/certificate.pem', 'ssl/csr.pem', 'ssl/private.pem'];
  await store.replaceKeys(
    keys,
    madeForOldOnes,
    (state) => reached(state, newRunId(), 'KEYED', now),
    () => {},
  );
}

interface Wish {
  readonly version: number;
  /** Whether the node is in provisioning mode after a start with it. */
  readonly provision: boolean;
  readonly token: boolean;
  /** `own`: a certificate for the key of the request. `sent`: a key and its certificate. */
  readonly tls: 'none' | 'own' | 'sent';
  readonly folder: 'ssl' | 'etc/site/ssl' | '';
}

/** A configuration as an agent would take it: made for the keys that are there. */
async function filesFor(store: NodeStore, wish: Wish): Promise<FileContent[]> {
  const { version, provision, token, tls, folder } = wish;
  const settings = `plugin.choria.server.provision = ${provision}\nversion = ${version}\n`;
  const files: FileContent[] = [{ path: 'server.conf', content: settings, mode: 0o600 }];
  const { seed, csrKeyPem } = await store.readOwnKeys();
  if (token && seed !== undefined) {
    files.push({ path: 'server.jwt', content: tokenFor(seed), mode: 0o600 });
  }
  const at = (name: string) => (folder === '' ? name : `${folder}/${name}`);
  const own = pairs.find(({ keyPem }) => keyPem === csrKeyPem);
  if (tls === 'sent') {
    files.push({ path: at('private.pem'), content: pair(version).keyPem, mode: 0o600 });
    files.push({ path: at('certificate.pem'), content: pair(version).certificatePem, mode: 0o644 });
  } else if (tls === 'own' && own !== undefined && folder === 'ssl') {
    files.push({ path: 'ssl/certificate.pem', content: own.certificatePem, mode: 0o644 });
  }
  if (tls !== 'none') files.push({ path: at('ca.pem'), content: `ca ${version}`, mode: 0o644 });
  return files;
}

async function configure(store: NodeStore, wish: Wish): Promise<void> {
  const digest = wish.version.toString(16).padStart(64, '0');
  await store.saveWithFiles(await filesFor(store, wish), (state, staged) =>
    committed(state, newRunId(), { ...staged, digest }, now),
  );
}

type Step =
  | { readonly kind: 'seed' | 'request'; readonly index: number }
  | { readonly kind: 'configure'; readonly wish: Wish }
  | { readonly kind: 'start' | 'withdraw' };

async function take(store: NodeStore, files: CrashingFiles, step: Step): Promise<NodeStore> {
  switch (step.kind) {
    case 'seed':
      await makeSeed(store, step.index);
      return store;
    case 'request':
      await makeRequest(store, step.index);
      return store;
    case 'configure':
      await configure(store, step.wish);
      return store;
    case 'withdraw':
      await store.save(withdrawn);
      return store;
    case 'start':
      return await start(files);
  }
}

async function expectNoMisfit(files: CrashingFiles): Promise<void> {
  const { problems } = await readNodeState(directory, files);
  expect(problems.filter((problem) => / is (?:not for|no) /.test(problem))).toEqual([]);
}

/** Takes the steps until the power is gone. @returns whether it was */
async function crashes(work: () => Promise<unknown>): Promise<boolean> {
  return await work().then(
    () => false,
    (error) => {
      if (!(error instanceof PowerLossError)) throw error;
      return true;
    },
  );
}

const sent: Wish = { version: 1, provision: true, token: true, tls: 'sent', folder: 'ssl' };
const own: Wish = { ...sent, tls: 'own' };

const histories: Readonly<Record<string, readonly Step[]>> = {
  'a new seed over a token that is in place': [
    { kind: 'seed', index: 0 },
    { kind: 'configure', wish: { ...sent, tls: 'none' } },
    { kind: 'start' },
    { kind: 'seed', index: 1 },
    { kind: 'start' },
  ],
  'a new seed over a token that waits': [
    { kind: 'seed', index: 0 },
    { kind: 'configure', wish: { ...sent, tls: 'none' } },
    { kind: 'seed', index: 1 },
    { kind: 'start' },
  ],
  'a new request over a certificate that is in place': [
    { kind: 'request', index: 0 },
    { kind: 'configure', wish: own },
    { kind: 'start' },
    { kind: 'request', index: 1 },
    { kind: 'configure', wish: { ...own, version: 2 } },
    { kind: 'start' },
  ],
  'a key that is sent over that of a request': [
    { kind: 'request', index: 0 },
    { kind: 'configure', wish: own },
    { kind: 'start' },
    { kind: 'configure', wish: { ...sent, version: 2 } },
    { kind: 'start' },
  ],
  'a request over a key that was sent': [
    { kind: 'configure', wish: sent },
    { kind: 'start' },
    { kind: 'request', index: 3 },
    { kind: 'start' },
    { kind: 'configure', wish: { ...own, version: 2 } },
    { kind: 'start' },
  ],
  'a sent key over another, elsewhere, and none': [
    { kind: 'configure', wish: sent },
    { kind: 'start' },
    { kind: 'configure', wish: { ...sent, version: 2 } },
    { kind: 'start' },
    { kind: 'configure', wish: { ...sent, version: 3, folder: 'etc/site/ssl' } },
    { kind: 'start' },
    { kind: 'configure', wish: { ...sent, version: 4, tls: 'none' } },
    { kind: 'start' },
    { kind: 'withdraw' },
    { kind: 'start' },
  ],
};

describe('a crash within any operation leaves nothing beside a key that it was not made for', {
  timeout: 60_000,
}, () => {
  test.each(Object.entries(histories))('%s', async (_what, history) => {
    for (const kept of [(n: number) => n, (n: number) => n >> 1]) {
      let crashed = true;
      for (let operation = 1; crashed; operation++) {
        const files = new CrashingFiles();
        let store = await start(files);
        files.crashAt(operation);
        crashed = await crashes(async () => {
          for (const step of history) store = await take(store, files, step);
        });
        files.reboot(kept);
        await expectNoMisfit(files);
        // The start after it is cut short as well.
        files.crashAt(1 + (operation % 7));
        await crashes(() => start(files));
        files.reboot(kept);
        await expectNoMisfit(files);
        await start(files);
        expect((await readNodeState(directory, files)).problems).toEqual([]);
      }
    }
  });

  const wishes: fc.Arbitrary<Wish> = fc.record({
    version: fc.nat(5),
    provision: fc.boolean(),
    token: fc.boolean(),
    tls: fc.constantFrom('none', 'own', 'sent'),
    folder: fc.constantFrom('ssl', 'ssl', 'etc/site/ssl', ''),
  });
  const steps: fc.Arbitrary<Step> = fc.oneof(
    { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('seed', 'request'), index: fc.nat(5) }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('configure'), wish: wishes }) },
    { weight: 2, arbitrary: fc.constant<Step>({ kind: 'start' }) },
    { weight: 1, arbitrary: fc.constant<Step>({ kind: 'withdraw' }) },
  );

  test('whatever the history', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(steps, { minLength: 1, maxLength: 8 }),
        fc.nat(1000),
        fc.nat(1000),
        fc.nat(1000),
        async (history, crashAt, crashAgainAt, kept) => {
          const files = new CrashingFiles();
          let store = await start(files);
          files.crashAt(1 + (crashAt % 100));
          await crashes(async () => {
            for (const step of history) store = await take(store, files, step);
          });
          files.reboot((unsynced) => kept % (unsynced + 1));
          await expectNoMisfit(files);
          files.crashAt(1 + (crashAgainAt % 12));
          await crashes(() => start(files));
          files.reboot((unsynced) => (kept * 7) % (unsynced + 1));
          await expectNoMisfit(files);
          await start(files);
          expect((await readNodeState(directory, files)).problems).toEqual([]);
          expect(await files.list(`${directory}/state`)).not.toContainEqual(
            expect.stringContaining('staging-'),
          );
        },
      ),
      { numRuns: 150 },
    );
  });
});

describe('keys that were made', () => {
  test('withdraw a configuration that waits, and the next start is in provisioning mode', async () => {
    const files = new CrashingFiles();
    const store = await start(files);
    await makeSeed(store, 0);
    await configure(store, { ...sent, provision: false, tls: 'none' });
    await makeSeed(store, 1);
    expect(store.state.configuration?.status).toBe('WITHDRAWN');
    files.reboot((unsynced) => unsynced);
    expect(await newStore(files).open(false, now)).toEqual({ provisioning: true, upgraded: false });
    expect((await files.list(directory)).sort()).toEqual(['server.seed', 'state']);
  });

  test('outlive configurations, and their removal', async () => {
    const files = new CrashingFiles();
    let store = await start(files);
    await makeSeed(store, 2);
    await makeRequest(store, 2);
    await configure(store, { ...own, provision: false });
    store = await start(files);
    expect((await files.list(`${directory}/ssl`)).sort()).toEqual([
      'ca.pem',
      'certificate.pem',
      'csr.pem',
      'private.pem',
    ]);
    await store.save(withdrawn);
    store = await start(files);
    expect((await files.list(`${directory}/ssl`)).sort()).toEqual(['csr.pem', 'private.pem']);
    expect(await store.readOwnKeys()).toEqual({ seed: seedOf(2), csrKeyPem: pair(2).keyPem });
  });

  test('are not made where what was made for the ones before cannot be removed', async () => {
    const files = new CrashingFiles();
    let store = await start(files);
    await makeSeed(store, 0);
    await configure(store, { ...sent, tls: 'none' });
    store = await start(files);
    files.beforeRemove = (path) =>
      path.endsWith('server.jwt') ? Promise.reject(new Error('not permitted')) : Promise.resolve();
    await expect(makeSeed(store, 1)).rejects.toThrow('not permitted');
    expect((await store.readOwnKeys()).seed).toBe(seedOf(0));
  });

  test('are not made where the caller gave up', async () => {
    const files = new CrashingFiles();
    const store = await start(files);
    await configure(store, sent);
    const giveUp = () => {
      throw new Error('gave up');
    };
    const seed = { path: 'server.seed', content: seedOf(1), mode: 0o600 };
    await expect(store.replaceKeys([seed], ['server.jwt'], (state) => state, giveUp)).rejects.toThrow(
      'gave up',
    );
    expect(store.state.configuration?.status).toBe('COMMITTED');
    expect(await store.readOwnKeys()).toEqual({ seed: undefined, csrKeyPem: undefined });
  });
});

test('a key that is sent takes the place of a request and its key', async () => {
  const files = new CrashingFiles();
  let store = await start(files);
  await makeRequest(store, 0);
  await configure(store, { ...sent, version: 1, folder: 'etc/site/ssl' });
  store = await start(files);
  expect(await files.list(directory)).not.toContain('ssl');
  expect((await store.readOwnKeys()).csrKeyPem).toBeUndefined();
  expect((await files.list(`${directory}/etc/site/ssl`)).sort()).toEqual([
    'ca.pem',
    'certificate.pem',
    'private.pem',
  ]);
});
