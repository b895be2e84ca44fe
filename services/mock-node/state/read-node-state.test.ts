import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { newRunId, parseIdentity } from '../../../shared/identity.js';
import { ed25519KeyFromSeed, rawPublicKey } from '../../../shared/trust/raw-keys.js';
import { makeCertificate, type TestCertificate } from '../../../test/fakes/certificates.js';
import { CrashingFiles } from '../../../test/fakes/crashing-files.js';
import { Slots } from '../slots.js';
import { committed } from './node-state.js';
import { NodeStore } from './node-store.js';
import { readNodeState } from './read-node-state.js';

const identity = parseIdentity('node-1.example.net') ?? expect.fail();
const directory = '/nodes/node-1.example.net';
const now = 1_900_000_000_000;
const seed = '01'.repeat(32);

let own: TestCertificate;
let other: TestCertificate;
let files: CrashingFiles;

beforeAll(async () => {
  [own, other] = await Promise.all([makeCertificate(), makeCertificate()]);
});

/** A node that came up with a token, a key and a certificate that fit one another. */
beforeEach(async () => {
  files = new CrashingFiles();
  const store = await start();
  await store.replaceKeys(
    [{ path: 'server.seed', content: seed, mode: 0o600 }],
    [],
    (state) => state,
    () => {},
  );
  const contents = [
    { path: 'server.conf', content: 'a = 1\n', mode: 0o600 },
    { path: 'server.jwt', content: tokenFor(seed), mode: 0o600 },
    { path: 'ssl/private.pem', content: own.keyPem, mode: 0o600 },
    { path: 'ssl/certificate.pem', content: own.certificatePem, mode: 0o644 },
  ];
  const digest = '0'.repeat(64);
  await store.saveWithFiles(contents, (state, staged) =>
    committed(state, newRunId(), { ...staged, digest }, now),
  );
  expect(await problems()).toEqual([]);
  await start();
  expect(await problems()).toEqual([]);
});

async function start(): Promise<NodeStore> {
  const store = new NodeStore({ identity, directory, files, disk: new Slots(4) });
  await store.open(false, now);
  return store;
}

function tokenFor(hexSeed: string): string {
  const publicKey = rawPublicKey(ed25519KeyFromSeed(Buffer.from(hexSeed, 'hex'))).toString('hex');
  const claims = Buffer.from(JSON.stringify({ public_key: publicKey })).toString('base64url');
  return `${Buffer.from('{"alg":"EdDSA"}').toString('base64url')}.${claims}.AA`;
}

async function problems(): Promise<readonly string[]> {
  return (await readNodeState(directory, files)).problems;
}

function write(path: string, content: string, mode: number): Promise<void> {
  return files.write(`${directory}/${path}`, content, mode);
}

describe('a problem is', () => {
  test('a token for another seed', async () => {
    await write('server.seed', '02'.repeat(32), 0o600);
    expect(await problems()).toEqual(['server.jwt is not for server.seed']);
  });

  test('a seed that is none', async () => {
    await write('server.seed', `${seed}\n`, 0o600);
    expect(await problems()).toEqual(['server.seed is no seed', 'server.jwt is not for server.seed']);
  });

  test('a certificate for another key', async () => {
    await write('ssl/private.pem', other.keyPem, 0o600);
    expect(await problems()).toEqual([
      'ssl/private.pem differs',
      'ssl/certificate.pem is not for ssl/private.pem',
    ]);
  });

  test('a file with other permissions', async () => {
    await write('server.seed', seed, 0o644);
    await write('ssl/certificate.pem', own.certificatePem, 0o600);
    expect(await problems()).toEqual([
      'ssl/certificate.pem has mode 0600 instead of 0644',
      'server.seed has mode 0644 instead of 0600',
    ]);
  });

  test('a request beside a key that was sent', async () => {
    await write('ssl/csr.pem', 'request', 0o644);
    expect(await problems()).toEqual(['ssl/csr.pem is left over']);
  });

  test('a file that is missing', async () => {
    await files.remove(`${directory}/server.jwt`);
    expect(await problems()).toEqual(['server.jwt is missing']);
  });
});

test('a start that puts files in place while they are looked at is no problem', async () => {
  const store = await start();
  const contents = [
    { path: 'server.conf', content: 'a = 2\n', mode: 0o600 },
    { path: 'server.jwt', content: tokenFor(seed), mode: 0o600 },
  ];
  await store.saveWithFiles(contents, (state, staged) =>
    committed(state, newRunId(), { ...staged, digest: '1'.repeat(64) }, now),
  );
  const read = files.read.bind(files);
  files.read = async (path) => {
    const content = await read(path);
    const [, index] = /staging-\d+\/(\d)$/.exec(path) ?? [];
    const place = contents[Number(index)]?.path;
    if (content !== undefined && place !== undefined) await files.rename(path, `${directory}/${place}`);
    return content;
  };
  expect(await problems()).toEqual([]);
});
