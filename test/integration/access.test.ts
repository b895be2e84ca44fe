// Who may call what. The table below is the whole of it: an RPC that is in a contract and not in here fails, and
// each of its lines is tried against the service as it runs.

import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect as connectTls, createSecureContext, type SecureContextOptions } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { fromBinary } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { Client, credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { discoveryAccess, registryAccess } from '../../services/discovery/api/access.js';
import { agentAccess } from '../../services/mock-node/api/access.js';
import { eventsAccess, provisionerAccess } from '../../services/provisioner/api/access.js';
import { NodeReport, ReportRequest } from '../../shared/gen/slipway/discovery/v1/registry.js';
import type { Access } from '../../shared/grpc/access.js';
import { fromServiceError, type RpcError } from '../../shared/grpc/errors.js';
import { type Role, roles } from '../../shared/tls/roles.js';
import { dayMs, makeAuthority, makeCertificate, type TestCertificate } from '../fakes/certificates.js';
import { TlsFolder } from '../fakes/tls-folder.js';
import { startDiscovery } from './discovery-support.js';
import { NodeClient, newRun, startMockNode, temporaryFolder } from './mock-node-support.js';
import { Site } from './provisioner-support.js';
import { ofService, TestSite } from './tls-support.js';

/** A role's holders; who has a token, or a key to sign a report with; who knows the secret; or anybody. */
type Who = readonly Role[] | 'TOKEN' | 'PROOF' | 'OPEN';

const watchers = ['viewer', 'operator', 'provisioner'] as const;
const readers = ['viewer', 'operator'] as const;
const operators = ['operator'] as const;

const discovery = 'slipway.discovery.v1.NodeDiscoveryService';
const registry = 'slipway.discovery.v1.NodeRegistryService';
const agent = 'slipway.node.v1.NodeAgentService';
const events = 'slipway.provisioner.v1.ProvisioningEventService';
const provisioner = 'slipway.provisioner.v1.ProvisionerService';

const table: Readonly<Record<string, Who>> = {
  [`${discovery}/WatchNodes`]: watchers,
  [`${discovery}/ListNodes`]: readers,
  [`${discovery}/Discover`]: ['operator', 'provisioner'],
  [`${registry}/Report`]: 'TOKEN',
  [`${agent}/Identify`]: 'OPEN',
  [`${agent}/GetJwt`]: 'PROOF',
  [`${agent}/GenerateEd25519Key`]: 'PROOF',
  [`${agent}/GetInventory`]: 'PROOF',
  [`${agent}/GenerateCsr`]: 'PROOF',
  [`${agent}/UpdateRelease`]: 'PROOF',
  [`${agent}/Configure`]: 'PROOF',
  [`${agent}/Restart`]: 'PROOF',
  [`${agent}/Shutdown`]: 'PROOF',
  [`${agent}/Reprovision`]: 'PROOF',
  [`${agent}/GetRunStatus`]: 'PROOF',
  [`${events}/WatchEvents`]: readers,
  [`${events}/ListEvents`]: readers,
  [`${provisioner}/GetStatus`]: readers,
  [`${provisioner}/ListHosts`]: readers,
  [`${provisioner}/GetHost`]: readers,
  [`${provisioner}/Pause`]: operators,
  [`${provisioner}/Resume`]: operators,
  [`${provisioner}/ProvisionHost`]: operators,
  [`${provisioner}/ReprovisionHost`]: operators,
  [`${provisioner}/ReleaseHost`]: operators,
  [`${provisioner}/TestHelper`]: operators,
};

interface Rpc {
  /** `slipway.discovery.v1.NodeDiscoveryService/WatchNodes`. */
  readonly path: string;
  readonly streams: boolean;
}

/** Every RPC of every contract, from the descriptors that buf builds. */
const contracts: readonly Rpc[] = (() => {
  const path = fileURLToPath(new URL('../../proto/descriptors.binpb', import.meta.url));
  return fromBinary(FileDescriptorSetSchema, readFileSync(path)).file.flatMap((file) =>
    file.service.flatMap((service) =>
      service.method.map(({ name, serverStreaming }) => ({
        path: `${file.package}.${service.name}/${name}`,
        streams: serverStreaming,
      })),
    ),
  );
})();

test('every RPC of every contract is in the table, and nothing else', () => {
  expect(Object.keys(table).sort()).toEqual(contracts.map(({ path }) => path).sort());
});

test('the services give access as the table says', () => {
  const given: Record<string, Access> = {};
  for (const [service, access] of [
    [discovery, discoveryAccess],
    [registry, registryAccess],
    [agent, agentAccess],
    [events, eventsAccess],
    [provisioner, provisionerAccess],
  ] as const) {
    for (const [name, who] of Object.entries(access)) given[`${service}/${name}`] = who;
  }
  const said = Object.entries(table).map(([path, who]) => [path, typeof who === 'string' ? 'OPEN' : who]);
  expect(given).toEqual(Object.fromEntries(said));
});

/** Ways to come without a certificate that counts. */
const strangers = [
  'none',
  'another CA',
  'a CA that looks the same',
  'expired',
  'not yet valid',
  'for servers',
  'without usage',
] as const;

type Caller = Role | (typeof strangers)[number] | 'no role';

let site: TestSite;
const certificates = new Map<Caller, TestCertificate | undefined>();

beforeAll(async () => {
  site = await TestSite.create();
  const all = roles.map((role) => `slipway:role:${role}`);
  const good = { usages: ['serverAuth', 'clientAuth'], uris: all } as const;
  const other = await makeAuthority({ name: 'site CA' });
  certificates.set('none', undefined);
  certificates.set('another CA', await makeCertificate({ ...good, issuer: other }));
  // Nothing but the signature tells it from a good one.
  certificates.set(
    'a CA that looks the same',
    await makeCertificate({ ...good, issuer: other, keyIds: false }),
  );
  const past = { notBefore: new Date(Date.now() - 9 * dayMs), notAfter: new Date(Date.now() - dayMs) };
  certificates.set('expired', await site.issue({ ...good, ...past }));
  certificates.set('not yet valid', await site.issue({ ...good, notBefore: new Date(Date.now() + dayMs) }));
  certificates.set('for servers', await site.issue({ ...good, usages: ['serverAuth'] }));
  certificates.set('without usage', await site.issue({ uris: all }));
  const foreign = { uris: ['slipway:role:admin'], dns: ['slipway-role-viewer'] };
  certificates.set('no role', await site.issue({ ...good, ...foreign }));
  for (const role of roles)
    certificates.set(role, await site.issue({ ...good, uris: [`slipway:role:${role}`] }));
});

function contextOf(caller: Caller): SecureContextOptions {
  const certificate = certificates.get(caller);
  return {
    ca: site.ca.certificatePem,
    ...(certificate && { cert: certificate.certificatePem, key: certificate.keyPem }),
  };
}

/** A client that knows nothing of contracts, and shows what the caller has. */
function clientOf(address: string, caller: Caller): Client {
  const secured = credentials.createFromSecureContext(createSecureContext(contextOf(caller)), {
    checkServerIdentity: () => undefined,
  });
  const client = new Client(address, secured, { 'grpc.use_local_subchannel_pool': 1 });
  onTestFinished(() => client.close());
  return client;
}

interface Answer {
  /** PASSED where it is neither of the two refusals. */
  readonly verdict: 'PASSED' | 'UNAUTHENTICATED' | 'PERMISSION_DENIED';
  readonly error: RpcError | undefined;
  readonly messages: number;
}

const pass = (bytes: Buffer) => bytes;

/** Calls, with an empty request where none is given; a stream is left at its first message. */
function ask(client: Client, { path, streams }: Rpc, request = Buffer.of()): Promise<Answer> {
  const deadline = Date.now() + 10_000;
  return new Promise((resolve) => {
    let messages = 0;
    const answer = (failure: ServiceError | null) => {
      const error = failure === null ? undefined : fromServiceError(failure);
      const refusals = {
        [status.UNAUTHENTICATED]: 'UNAUTHENTICATED',
        [status.PERMISSION_DENIED]: 'PERMISSION_DENIED',
      };
      const verdict = Reflect.get(refusals, error?.code ?? status.OK) ?? 'PASSED';
      resolve({ verdict, error, messages });
    };
    if (!streams) {
      client.makeUnaryRequest(`/${path}`, pass, pass, request, new Metadata(), { deadline }, (error) =>
        answer(error),
      );
      return;
    }
    const stream = client.makeServerStreamRequest(`/${path}`, pass, pass, request, new Metadata(), {
      deadline,
    });
    stream.on('data', () => {
      messages++;
      stream.cancel();
      answer(null);
    });
    stream.on('error', answer);
    stream.on('end', () => answer(null));
  });
}

/** The tls settings of a service of this site. */
async function tlsOf(service: string) {
  const folder = new TlsFolder();
  onTestFinished(() => folder.remove());
  folder.put(await site.issue(ofService(service)), [site.ca]);
  return { mode: 'required', ...folder.paths };
}

async function startServices() {
  const discoveryApp = await startDiscovery({ tls: await tlsOf('discovery') });
  const { consumers, nodes } = discoveryApp.addresses;
  const provisionerApp = await new Site().start([consumers], { tls: await tlsOf('provisioner') });
  return { consumers, nodes, api: provisionerApp.addresses.api ?? '' };
}

const served = contracts.filter(({ path }) => typeof table[path] !== 'string');

function expected(who: Who | undefined, caller: Caller): Answer['verdict'] {
  if (strangers.some((stranger) => stranger === caller)) return 'UNAUTHENTICATED';
  return Array.isArray(who) && who.includes(caller) ? 'PASSED' : 'PERMISSION_DENIED';
}

test('whoever comes may do as the table says, and is told why not', async () => {
  const { consumers, api } = await startServices();
  const told: Record<string, Record<string, string>> = {};
  const right: Record<string, Record<string, string>> = {};
  for (const caller of [...strangers, 'no role', ...roles] as const) {
    const ofDiscovery = clientOf(consumers, caller);
    const ofProvisioner = clientOf(api, caller);
    const verdicts: Record<string, string> = {};
    for (const rpc of served) {
      const client = rpc.path.startsWith(discovery) ? ofDiscovery : ofProvisioner;
      const { verdict, messages, error } = await ask(client, rpc);
      verdicts[rpc.path] = verdict;
      if (verdict === 'PASSED') continue;
      expect(messages).toBe(0);
      expect(error?.reason).toBe(verdict === 'UNAUTHENTICATED' ? 'CERTIFICATE_INVALID' : 'ROLE_MISSING');
    }
    told[caller] = verdicts;
    right[caller] = Object.fromEntries(served.map(({ path }) => [path, expected(table[path], caller)]));
  }
  expect(told).toEqual(right);
});

test('nobody gets round a refusal with a request that cannot be read, or is too large', async () => {
  const { consumers } = await startServices();
  const client = clientOf(consumers, 'viewer');
  for (const bytes of [Buffer.alloc(64, 0xff), Buffer.alloc(5 << 20)]) {
    const error = await new Promise((resolve) =>
      client.makeUnaryRequest(
        `/${discovery}/Discover`,
        pass,
        pass,
        bytes,
        new Metadata(),
        { deadline: Date.now() + 10_000 },
        resolve,
      ),
    );
    expect(error).toMatchObject({ code: status.PERMISSION_DENIED });
  }
});

test('health is open, and reflection is for those who have a role', async () => {
  const { consumers, nodes, api } = await startServices();
  const health = { path: 'grpc.health.v1.Health/Check', streams: false };
  const watch = { path: 'grpc.health.v1.Health/Watch', streams: true };
  for (const address of [consumers, api, nodes]) {
    for (const rpc of [health, watch]) {
      const { error } = await ask(clientOf(address, 'none'), rpc);
      expect(error).toBeUndefined();
    }
  }
  for (const version of ['v1', 'v1alpha']) {
    const reflection = {
      path: `grpc.reflection.${version}.ServerReflection/ServerReflectionInfo`,
      streams: true,
    };
    for (const address of [consumers, api]) {
      for (const [caller, verdict] of [
        ['none', 'UNAUTHENTICATED'],
        ['no role', 'PERMISSION_DENIED'],
        ['viewer', 'PASSED'],
      ] as const) {
        expect((await ask(clientOf(address, caller), reflection)).verdict).toBe(verdict);
      }
    }
    expect((await ask(clientOf(nodes, 'none'), reflection)).verdict).toBe('PASSED');
  }
});

test('the listener for nodes serves nothing of the one for consumers, nor that of nodes', async () => {
  const { consumers, nodes } = await startServices();
  const served = (address: string, path: string) =>
    ask(clientOf(address, 'operator'), { path, streams: false }).then(({ error }) => error?.code);
  for (const { path } of contracts.filter(({ path }) => path.startsWith(discovery))) {
    expect(await served(nodes, path)).toBe(status.UNIMPLEMENTED);
  }
  expect(await served(consumers, `${registry}/Report`)).toBe(status.UNIMPLEMENTED);
});

test('a report that nobody has signed is refused, whatever certificate it comes with', async () => {
  const { nodes } = await startServices();
  const report = Buffer.from(
    NodeReport.encode(NodeReport.fromPartial({ identity: 'n1.example.net' })).finish(),
  );
  const request = Buffer.from(ReportRequest.encode(ReportRequest.fromPartial({ report })).finish());
  for (const caller of ['none', 'operator'] as const) {
    const { error } = await ask(
      clientOf(nodes, caller),
      { path: `${registry}/Report`, streams: false },
      request,
    );
    expect(error).toMatchObject({ code: status.UNAUTHENTICATED, reason: 'SIGNATURE_INVALID' });
  }
});

describe('an agent', () => {
  const rpcs = contracts.filter(({ path }) => path.startsWith(agent)).map(({ path }) => path);

  test.each(rpcs)('serves who has the proof, or anybody where it is open: %s', async (path) => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'secret'), 's3cret');
    const flags = ['--dir', join(folder, 'node'), '--secret-file', join(folder, 'secret')];
    const { port } = await startMockNode({ flags });
    const name = path.slice(path.lastIndexOf('/') + 1);
    const node = new NodeClient(`127.0.0.1:${port}`, 'another');
    const run = newRun();
    const refusal = node.as(run, name).then(
      () => undefined,
      (error: RpcError) => [status[error.code], error.reason],
    );
    expect(await refusal).toEqual(table[path] === 'OPEN' ? undefined : ['UNAUTHENTICATED', 'PROOF_INVALID']);
  });
});

test('a client of TLS 1.2 is refused at every listener', async () => {
  const { consumers, nodes, api } = await startServices();
  const { port: agentPort } = await startMockNode({ flags: ['--tls-mode=required'] });
  for (const address of [consumers, nodes, api, `127.0.0.1:${agentPort}`]) {
    const port = Number(address.split(':').at(-1));
    const options = {
      ...contextOf('operator'),
      port,
      ALPNProtocols: ['h2'],
      checkServerIdentity: () => undefined,
    };
    const old = connectTls({ ...options, maxVersion: 'TLSv1.2' });
    onTestFinished(() => void old.destroy());
    const [error] = await once(old, 'error');
    expect(error).toMatchObject({ message: expect.stringMatching(/protocol version/) });
    // An agent's certificate is its own.
    const modern = connectTls({ ...options, rejectUnauthorized: port !== agentPort });
    onTestFinished(() => void modern.destroy());
    await once(modern, 'secureConnect');
    expect(modern.getProtocol()).toBe('TLSv1.3');
  }
});
