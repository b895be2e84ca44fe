// Discovery's two services, spoken to by clients that were made from the .proto files at run time: the wire is
// proved against the contract, and not against generated code twice.

import { credentials, loadPackageDefinition, type ServiceClientConstructor } from '@grpc/grpc-js';
import { loadSync, type MessageTypeDefinition } from '@grpc/proto-loader';
import { expect, onTestFinished, test } from 'vitest';
import { newBootId, newRunId } from '../../shared/identity.js';
import { bootCertificate, signed } from './discovery-site.js';
import { startDiscovery } from './discovery-support.js';

type Message = Record<string, unknown>;
type Call = (request: Message, callback: (error: Error | null, response: Message) => void) => void;
type Stream = (request: Message) => NodeJS.ReadableStream & { cancel(): void };

const definition = loadSync(['slipway/discovery/v1/registry.proto', 'slipway/discovery/v1/discovery.proto'], {
  includeDirs: ['proto'],
  keepCase: true,
  enums: String,
  longs: String,
  defaults: true,
  oneofs: true,
});

function connect(service: string, address: string) {
  const path = `slipway.discovery.v1.${service}`.split('.');
  const packages: unknown = loadPackageDefinition(definition);
  const Client = path.reduce((scope, name) => (scope as Message)[name], packages);
  const client = new (Client as ServiceClientConstructor)(address, credentials.createInsecure());
  onTestFinished(() => client.close());
  const methods = client as unknown as Readonly<Record<string, Call & Stream>>;
  return {
    call: (name: string, request: Message) =>
      new Promise<Message>((resolve, reject) => {
        methods[name]?.(request, (error, response) => (error === null ? resolve(response) : reject(error)));
      }),
    stream: (name: string, request: Message) => methods[name]?.(request),
  };
}

function serialise(report: Message): Buffer {
  const type = definition['slipway.discovery.v1.NodeReport'];
  return (type as MessageTypeDefinition<Message, Message>).serialize(report);
}

test('a node reports; consumers watch, list and discover', async () => {
  const app = await startDiscovery({ trust_advertised_host: false });
  const consumer = connect('NodeDiscoveryService', app.addresses.consumers);
  const node = connect('NodeRegistryService', app.addresses.nodes);
  const received: Message[] = [];
  const stream = consumer.stream('WatchNodes', { filter: { labels: { rack: 'r1' } } });
  stream?.on('error', () => {});
  const next = () =>
    new Promise<Message>((resolve) => {
      stream?.once('data', (message: Message) => {
        received.push(message);
        resolve(message);
      });
    });
  const synced = await next();
  expect(synced).toMatchObject({
    message: 'synced',
    synced: { position: { revision: '0' }, interval: { seconds: '60', nanos: 0 } },
  });
  const { epoch } = (synced as { synced: { position: { epoch: string } } }).synced.position;

  const certificate = await bootCertificate();
  const say = (report: Message) => signed(serialise(report), certificate) as unknown as Message;
  const facts = {
    identity: 'Node1.Example',
    component: 'provision_mode_server',
    version: '0.99.1',
    port: 7430,
    labels: { rack: 'r1' },
  };
  const bootId = newBootId();
  const started = {
    ...facts,
    event_id: newBootId(),
    type: 'REPORT_TYPE_STARTUP',
    boot_id: bootId,
    sequence: 1,
  };
  const startup = next();
  const reply = await node.call('Report', say(started));
  expect(reply).toEqual({
    lease_ttl: { seconds: '30', nanos: 0 },
    next_report_in: { seconds: '10', nanos: 0 },
  });
  const described = {
    identity: 'node1.example',
    address: '127.0.0.1:7430',
    boot_id: bootId,
    version: '0.99.1',
    component: 'provision_mode_server',
    certificate_sha256: Buffer.from(certificate.sha256, 'hex'),
    labels: { rack: 'r1' },
    source: 'NODE_SOURCE_REPORTED',
  };
  expect(await startup).toMatchObject({
    message: 'event',
    event: {
      epoch,
      revision: '1',
      type: 'NODE_EVENT_TYPE_STARTUP',
      node: described,
      run_id: '',
      newcomer: null,
    },
  });
  expect(await consumer.call('ListNodes', {})).toMatchObject({ nodes: [described], next_page_token: '' });

  const sighted = next();
  expect(await consumer.call('Discover', {})).toEqual({ sighted: 1, probed: 0 });
  expect(await sighted).toMatchObject({ event: { revision: '2', type: 'NODE_EVENT_TYPE_SIGHTED' } });

  const arrived = next();
  const runId = newRunId();
  const digest = Buffer.alloc(32, 7);
  await node.call(
    'Report',
    say({
      ...facts,
      event_id: newBootId(),
      type: 'REPORT_TYPE_PROVISIONED',
      boot_id: newBootId(),
      sequence: 1,
      run_id: runId,
      configuration_digest: digest,
    }),
  );
  expect(await arrived).toMatchObject({
    event: {
      revision: '3',
      type: 'NODE_EVENT_TYPE_PROVISIONED',
      run_id: runId,
      configuration_digest: digest,
      node: { identity: 'node1.example' },
    },
  });
  expect(await consumer.call('ListNodes', {})).toMatchObject({ nodes: [] });
  stream?.cancel();
});
