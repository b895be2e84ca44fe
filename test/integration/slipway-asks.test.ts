// The commands of slipway that ask a service once: what they ask, what they print, and their exit codes.

import { status } from '@grpc/grpc-js';
import { describe, expect, test } from 'vitest';
import type {
  DiscoverRequest,
  DiscoverResponse,
  ListNodesRequest,
  ListNodesResponse,
} from '../../shared/gen/slipway/discovery/v1/discovery.js';
import {
  DiscoverResponse as Discovered,
  ListNodesResponse as Nodes,
} from '../../shared/gen/slipway/discovery/v1/discovery.js';
import { HostState, Outcome } from '../../shared/gen/slipway/provisioner/v1/host.js';
import {
  GetHostResponse,
  GetStatusResponse,
  type ListHostsRequest,
  ListHostsResponse,
  PauseResponse,
  ProvisionHostResponse,
  ReleaseHostResponse,
  ReprovisionHostResponse,
  ResumeResponse,
  type TestHelperRequest,
  TestHelperResponse,
} from '../../shared/gen/slipway/provisioner/v1/provisioner.js';
import { RpcError } from '../../shared/grpc/errors.js';
import { mutualServerCredentials } from '../../shared/tls/server-credentials.js';
import { answering, type FakeServices, startFakeServices } from '../fakes/fake-provisioner.js';
import { type SlipwayOptions, type SlipwayResult, slipway } from '../fakes/fake-terminal.js';
import { fromNoon, noon } from '../fakes/views.js';
import { ofService, TestSite } from './tls-support.js';

async function ask(
  given: FakeServices,
  words: string[],
  options: SlipwayOptions = {},
): Promise<SlipwayResult> {
  const { address } = await startFakeServices(given);
  const env = { SLIPWAY_TLS_MODE: 'insecure', SLIPWAY_PROVISIONER: address, SLIPWAY_DISCOVERY: address };
  return slipway(words, { now: new Date(noon), ...options, env: { ...env, ...options.env } });
}

describe('slipway status', () => {
  const reply = GetStatusResponse.create({ site: 'lab', startedAt: fromNoon(-60), ready: true });
  const provisioner = { getStatus: answering(() => reply).handler };

  test('for people', async () => {
    const { code, out, err } = await ask({ provisioner }, ['status']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/^site lab: .*up for 1 min\nready +yes\n/);
  });

  test('--json has the names of the contract, and every field', async () => {
    const { out } = await ask({ provisioner }, ['status', '--json']);
    expect(JSON.parse(out)).toMatchObject({
      site: 'lab',
      startedAt: '2030-01-01T11:59:00Z',
      ready: true,
      notReadyBecause: '',
      outcomes: [],
    });
  });
});

describe('slipway hosts', () => {
  const page = (request: ListHostsRequest) =>
    ListHostsResponse.create({
      hosts: [{ identity: `n${request.pageToken || 1}`, state: HostState.QUEUED, queuePlace: 3 }],
      nextPageToken: request.pageToken === '' ? '2' : '',
    });

  test('takes every page', async () => {
    const listHosts = answering(page);
    const words = ['hosts', '--state', 'queued,backing-off', '--prefix', 'n'];
    const { code, out } = await ask({ provisioner: { listHosts: listHosts.handler } }, words);
    expect({ code, out }).toEqual({
      code: 0,
      out: 'IDENTITY  STATE\nn1        queued #3\nn2        queued #3\n',
    });
    const states = [HostState.QUEUED, HostState.BACKING_OFF];
    expect(listHosts.requests).toMatchObject([
      { pageSize: 1000, pageToken: '', states, identityPrefix: 'n' },
      { pageToken: '2' },
    ]);
  });

  test('--json is one document', async () => {
    const { out } = await ask({ provisioner: { listHosts: answering(page).handler } }, ['hosts', '--json']);
    expect(JSON.parse(out)).toMatchObject({
      hosts: [{ identity: 'n1', state: 'HOST_STATE_QUEUED' }, { identity: 'n2' }],
    });
  });

  test('none is no error', async () => {
    const listHosts = answering(() => ListHostsResponse.create()).handler;
    expect(await ask({ provisioner: { listHosts } }, ['hosts'])).toEqual({
      code: 0,
      out: '',
      err: 'no hosts\n',
    });
  });

  test('a state that there is not', async () => {
    const { code, err } = await ask({}, ['hosts', '--state', 'runing']);
    expect(code).toBe(2);
    expect(err).toContain(
      'expected one of QUEUED, RUNNING, HELD, BACKING_OFF, RELEASED; did you mean RUNNING?',
    );
  });
});

test.each(['host', 'why'])('slipway %s asks for one', async (command) => {
  const getHost = answering(() =>
    GetHostResponse.create({ host: { identity: 'n1', state: HostState.HELD } }),
  );
  const { code, out } = await ask({ provisioner: { getHost: getHost.handler } }, [command, 'n1']);
  expect(code).toBe(0);
  expect(out).toContain('n1');
  expect(getHost.requests).toEqual([{ identity: 'n1' }]);
});

describe('slipway pause and resume', () => {
  const pause = { paused: true, byOperator: true, since: fromNoon(-1), by: 'eve', message: 'switch' };

  test('say what stands', async () => {
    const asked = answering(() => PauseResponse.create({ pause }));
    expect(await ask({ provisioner: { pause: asked.handler } }, ['pause', 'switch'])).toMatchObject({
      code: 0,
      out: 'paused: yes, for 1 s, since 11:59:59; paused by eve: switch\n',
    });
    expect(asked.requests).toEqual([{ message: 'switch' }]);
    const resume = answering(() => ResumeResponse.create({})).handler;
    expect(await ask({ provisioner: { resume } }, ['resume'])).toMatchObject({ code: 0, out: 'resumed\n' });
  });

  test('one that does not lead stays paused', async () => {
    const resume = answering(() =>
      ResumeResponse.create({ pause: { paused: true, notLeader: true } }),
    ).handler;
    const { out } = await ask({ provisioner: { resume } }, ['resume']);
    expect(out).toBe('resumed, and still paused: yes, another provisioner is the leader\n');
  });
});

describe('what is asked for one host', () => {
  test('slipway provision', async () => {
    const asked = answering(() =>
      ProvisionHostResponse.create({ host: { identity: 'n1', state: HostState.QUEUED, queuePlace: 1 } }),
    );
    const words = ['provision', 'n1', '--address', '10.0.0.7:1', '--force'];
    expect(await ask({ provisioner: { provisionHost: asked.handler } }, words)).toMatchObject({
      code: 0,
      out: 'n1 is queued (#1)\n',
    });
    expect(asked.requests).toEqual([{ identity: 'n1', address: '10.0.0.7:1', force: true }]);
  });

  test('slipway reprovision', async () => {
    const asked = answering(() =>
      ReprovisionHostResponse.create({
        runId: 'r-1',
        message: 'as you wish',
        restartingIn: { seconds: 2n, nanos: 0 },
      }),
    );
    expect(
      await ask({ provisioner: { reprovisionHost: asked.handler } }, ['reprovision', 'n1']),
    ).toMatchObject({
      code: 0,
      out: 'n1 restarts into provisioning mode in 2 s, asked as r-1: as you wish\n',
    });
    expect(asked.requests).toEqual([{ identity: 'n1', address: '' }]);
  });

  test('slipway release', async () => {
    const asked = answering(() =>
      ReleaseHostResponse.create({
        previousState: HostState.RUNNING,
        runId: 'r-1',
        outcome: Outcome.CANCELLED,
      }),
    );
    expect(await ask({ provisioner: { releaseHost: asked.handler } }, ['release', 'n1'])).toMatchObject({
      code: 0,
      out: 'n1 is released; it was running; its run r-1 ended as CANCELLED\n',
    });
  });
});

describe('slipway helper test', () => {
  const fine = {
    outcome: Outcome.PROVISIONED,
    message: 'it would be configured',
    duration: { seconds: 0n, nanos: 5e7 },
  };
  const reply = { configuration: { 'plugin.x': '1' }, hasKey: true };

  test('gives the input as it is', async () => {
    const asked = answering((_: TestHelperRequest) => TestHelperResponse.create({ ...fine, reply }));
    const input = '{"a": 9007199254740993}';
    const words = ['helper', 'test', '--input', '-'];
    const { code, out } = await ask({ provisioner: { testHelper: asked.handler } }, words, { input });
    expect(asked.requests).toEqual([{ input: { $case: 'inputJson', value: input } }]);
    expect(code).toBe(0);
    expect(out).toBe(`a run would end as PROVISIONED
because        it would be configured
helper         took 50 ms, exit code 0
gives          a private key
configuration  plugin.x = 1
`);
  });

  test('a run that would fail is exit code 1', async () => {
    const failed = { outcome: Outcome.FAILED, reason: 'HELPER_EXIT', exitCode: 3, stderr: 'no such site\n' };
    const testHelper = answering(() => TestHelperResponse.create(failed)).handler;
    const { code, out } = await ask({ provisioner: { testHelper } }, ['helper', 'test', 'n1']);
    expect(code).toBe(1);
    expect(out).toContain('a run would end as FAILED HELPER_EXIT (the helper ended with an error)\n');
    expect(out).toMatch(/exit code 3\nstderr +no such site\n/);
  });

  test.each([[['helper', 'test']], [['helper', 'test', 'n1', '--input', '-']]])(
    '%j: either one or the other',
    async (words) => {
      expect(await ask({}, words)).toMatchObject({
        code: 2,
        err: expect.stringContaining('either the ID of a host'),
      });
    },
  );
});

describe('discovery', () => {
  test('slipway nodes takes every page', async () => {
    const listNodes = answering<ListNodesRequest, ListNodesResponse>(({ pageToken }) =>
      Nodes.create({
        nodes: [
          {
            identity: `n${pageToken || 1}`,
            address: '10.0.0.7:1',
            lastSeen: fromNoon(-4),
            labels: { rack: '7' },
          },
        ],
        nextPageToken: pageToken === '' ? '2' : '',
      }),
    );
    const words = ['nodes', '--component', 'c', '--label', 'rack=7', '--label', 'room='];
    const { code, out } = await ask({ discovery: { listNodes: listNodes.handler } }, words);
    expect({ code, out }).toEqual({
      code: 0,
      out: 'IDENTITY  ADDRESS     HEARD  LABELS\nn1        10.0.0.7:1    4 s  rack=7\nn2        10.0.0.7:1    4 s  rack=7\n',
    });
    expect(listNodes.requests[0]?.filter).toEqual({ components: ['c'], labels: { rack: '7', room: '' } });
  });

  test('slipway discover', async () => {
    const discover = answering<DiscoverRequest, DiscoverResponse>(() =>
      Discovered.create({ sighted: 5, probed: 1 }),
    );
    expect(await ask({ discovery: { discover: discover.handler } }, ['discover'])).toMatchObject({
      code: 0,
      out: '5 nodes are sighted, 1 target is probed\n',
    });
  });
});

describe('a refusal', () => {
  const refused = (code: status, reason = '') => ({
    provisioner: {
      getHost: answering(() => {
        throw new RpcError(code, 'n1 is not there', { reason });
      }).handler,
    },
  });

  test.each([
    [status.NOT_FOUND, '', 3, 'n1 is not there'],
    [status.UNAVAILABLE, '', 4, 'cannot reach the provisioner at ADDRESS: n1 is not there'],
    [status.UNAVAILABLE, 'NODE_UNREACHABLE', 4, 'n1 is not there'],
    [status.UNAUTHENTICATED, '', 5, 'the provisioner at ADDRESS does not allow that: n1 is not there'],
    [status.PERMISSION_DENIED, '', 5, 'the provisioner at ADDRESS does not allow that: n1 is not there'],
    [status.FAILED_PRECONDITION, 'PAUSED', 1, 'n1 is not there'],
    [status.INVALID_ARGUMENT, 'ARGUMENT_INVALID', 2, 'n1 is not there'],
    [
      status.INTERNAL,
      '',
      1,
      'the provisioner at ADDRESS failed: n1 is not there (INTERNAL); its log has more',
    ],
  ])('%i %s is exit code %i', async (grpcCode, reason, code, said) => {
    const result = await ask(refused(grpcCode, reason), ['host', 'n1']);
    expect({ ...result, err: result.err.replace(/127\.0\.0\.1:\d+/, 'ADDRESS') }).toEqual({
      code,
      out: '',
      err: `slipway: ${said}\n`,
    });
  });

  test('an answer that does not come is exit code 4', async () => {
    const getHost = answering(() => new Promise<GetHostResponse>(() => {})).handler;
    const { code, err } = await ask({ provisioner: { getHost } }, ['host', 'n1', '--timeout', '100ms']);
    expect(code).toBe(4);
    expect(err).toMatch(/no answer from the provisioner at \S+ within 100ms/);
  });

  test('nobody there is exit code 4', async () => {
    const { code, err } = await slipway(['status', '--insecure', '--provisioner', '127.0.0.1:1']);
    expect(code).toBe(4);
    expect(err).toBe(
      'slipway: cannot reach the provisioner at 127.0.0.1:1: connect ECONNREFUSED 127.0.0.1:1\n',
    );
  });

  test('what this version of the service does not have', async () => {
    const { code, err } = await ask({}, ['status']);
    expect({ code, err }).toEqual({
      code: 1,
      err: expect.stringContaining('GetStatus is not served by this version'),
    });
  });
});

describe('with TLS', () => {
  test('a certificate of the site is shown, and that of the service verified', async () => {
    const site = await TestSite.create();
    const service = await site.hold(ofService('provisioner'));
    const operator = await site.hold({
      name: 'operator',
      usages: ['clientAuth'],
      uris: ['slipway:role:operator'],
    });
    const getStatus = answering(() => GetStatusResponse.create({ site: 'lab', ready: true })).handler;
    const credentials = mutualServerCredentials(service.files);
    const { cert, key, ca } = operator.folder.paths;
    const env = { SLIPWAY_TLS_MODE: '', SLIPWAY_TLS_CERT: cert, SLIPWAY_TLS_KEY: key, SLIPWAY_TLS_CA: ca };
    const given = { provisioner: { getStatus }, credentials };
    expect(await ask(given, ['status'], { env })).toMatchObject({ code: 0, err: '' });
    const other = await (await TestSite.create()).hold(ofService('operator'));
    const refused = await ask(given, ['status', '--tls-ca', other.folder.paths.ca], { env });
    expect(refused.code).toBe(2);
    expect(refused.err).toContain('--tls-cert: ');
  });

  test('files that are not there', async () => {
    const words = ['status', '--tls-cert', '/no/c.pem', '--tls-key', '/no/k.pem', '--tls-ca', '/no/ca.pem'];
    const { code, err } = await slipway(words);
    expect(code).toBe(2);
    for (const option of ['--tls-cert: ', '--tls-key: ', '--tls-ca: ']) expect(err).toContain(option);
  });
});
