// Reflection as other programs use it: whatever it gives must link by itself, imports included.

import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { createFileRegistry, fromBinary } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema, FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { credentials, makeGenericClientConstructor, type ServiceDefinition } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { expect, onTestFinished, test } from 'vitest';
import { NodeRegistryServiceService } from '../../shared/gen/slipway/discovery/v1/registry.js';
import { NodeAgentServiceService } from '../../shared/gen/slipway/node/v1/node.js';
import { startServer } from '../../shared/grpc/server.js';
import { silentLogger } from '../../shared/logger.js';
import { open } from './grpc-support.js';

const buf = 'node_modules/.bin/buf';
const log = silentLogger();

interface ReflectionReply {
  readonly list_services_response?: { readonly service: readonly { readonly name: string }[] };
  readonly file_descriptor_response?: { readonly file_descriptor_proto: readonly Buffer[] };
  readonly error_response?: { readonly error_code: number };
}

/** Asks one thing of a server's reflection. */
function ask(address: string, version: string, question: object): Promise<ReflectionReply> {
  const library = dirname(createRequire(import.meta.url).resolve('@grpc/reflection/package.json'));
  const file = join(library, `build/proto/grpc/reflection/${version}/reflection.proto`);
  const definition = loadSync(file, { keepCase: true })[`grpc.reflection.${version}.ServerReflection`];
  const Client = makeGenericClientConstructor(definition as ServiceDefinition, 'ServerReflection');
  const client = new Client(address, credentials.createInsecure());
  onTestFinished(() => client.close());
  return new Promise((resolve, reject) => {
    const stream = client.ServerReflectionInfo?.();
    if (stream === undefined) throw new Error('no such method');
    stream.on('data', resolve);
    stream.on('error', reject);
    stream.write(question);
    stream.end();
  });
}

async function startReflected(): Promise<string> {
  const server = await startServer({
    listen: '127.0.0.1:0',
    log,
    services: [open(NodeAgentServiceService, {}), open(NodeRegistryServiceService, {})],
  });
  onTestFinished(() => server.stop(0));
  return server.address;
}

test.each(['v1', 'v1alpha'])('reflection %s lists what is served and nothing else', async (version) => {
  const reply = await ask(await startReflected(), version, { list_services: '*' });
  expect(reply.list_services_response?.service.map(({ name }) => name).sort()).toEqual([
    'slipway.discovery.v1.NodeRegistryService',
    'slipway.node.v1.NodeAgentService',
  ]);
});

test.each([
  ['slipway.node.v1.NodeAgentService', 'slipway/node/v1/node.proto'],
  ['slipway.node.v1.ConfigureRequest', 'slipway/node/v1/node.proto'],
  ['slipway.discovery.v1.NodeRegistryService', 'slipway/discovery/v1/registry.proto'],
])('the files of %s link by themselves', async (symbol, name) => {
  const reply = await ask(await startReflected(), 'v1', { file_containing_symbol: symbol });
  const files = (reply.file_descriptor_response?.file_descriptor_proto ?? []).map((bytes) =>
    fromBinary(FileDescriptorProtoSchema, bytes),
  );
  expect(files[0]?.name).toBe(name);
  const [wanted] = files;
  if (wanted === undefined) throw new Error('no file');
  const registry = createFileRegistry(wanted, (path) => files.find((file) => file.name === path));
  const types = [...registry].map(({ typeName }) => typeName);
  expect(types).toContain(symbol);
  expect(types).toContain('google.protobuf.Duration');
  expect(types).toContain('google.protobuf.Timestamp');
});

test('a symbol that there is not is an error, and no more than that', async () => {
  const reply = await ask(await startReflected(), 'v1', { file_containing_symbol: 'no.such.Symbol' });
  expect(reply.error_response?.error_code).toBe(5);
});

test('a client that knows nothing but the address can call', async () => {
  const address = await startReflected();
  const flags = ['curl', '--protocol', 'grpc', '--http2-prior-knowledge'];
  const { stdout } = await promisify(execFile)(buf, [...flags, '--list-methods', `http://${address}`]);
  expect(stdout.split('\n')).toContain('slipway.node.v1.NodeAgentService/Configure');
  const call = promisify(execFile)(buf, [
    ...flags,
    '--data',
    '{"splay": "1s"}',
    `http://${address}/slipway.node.v1.NodeAgentService/Restart`,
  ]);
  await expect(call).rejects.toMatchObject({ stderr: expect.stringContaining('unimplemented') });
});

test('the descriptors are those of proto/ now', () => {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-descriptors-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const fresh = join(folder, 'descriptors.binpb');
  execFileSync(buf, ['build', '--as-file-descriptor-set', '--exclude-source-info', '--output', fresh]);
  const read = (path: string) => fromBinary(FileDescriptorSetSchema, readFileSync(path));
  expect(read('proto/descriptors.binpb'), 'run "npm run generate"').toEqual(read(fresh));
});
