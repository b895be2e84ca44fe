import { describe, expect, it } from 'vitest';
import { newBootId, parseIdentity } from '../../../shared/identity.js';
import { Secret } from '../../../shared/secret.js';
import { helperReply } from '../../../test/fakes/fake-helper.js';
import { refused, status, tooLate } from '../../../test/fakes/fake-node-agent.js';
import { RunBench } from '../../../test/fakes/run-bench.js';
import { HelperError } from '../helper/helper.js';

describe('a run that goes well', () => {
  it('takes the steps in their order and ends PROVISIONED', async () => {
    const bench = new RunBench();
    const result = await bench.run();
    expect(result.outcome).toEqual({ kind: 'PROVISIONED', unsettled: false });
    expect(bench.story).toEqual(['IDENTIFY', 'GET_INVENTORY', 'HELPER', 'CONFIGURE', 'RESTART']);
    expect(bench.node.calls.map((call) => call.rpc)).toEqual([
      'identify',
      'getInventory',
      'configure',
      'restart',
    ]);
  });

  it('opens one channel and closes it', async () => {
    const bench = new RunBench();
    let open = 0;
    bench.node.onCall = () => {
      open = Math.max(open, bench.node.openChannels);
    };
    await bench.run();
    expect(open).toBe(1);
    expect(bench.node.openChannels).toBe(0);
  });

  it('says the same run, fence and boot in every call but Identify', async () => {
    const bench = new RunBench();
    const { runId } = await bench.run();
    const [identify, ...others] = bench.node.calls;
    expect(identify?.caller).toBeUndefined();
    for (const { caller } of others) {
      expect(caller).toMatchObject({ runId, fence: BigInt(bench.clock.now()), bootId: bench.node.bootId });
      expect(caller?.secret?.reveal()).toBe('s3cret');
    }
  });

  it('gives the helper what the node said and the node what the helper said, in its order', async () => {
    const bench = new RunBench();
    bench.helper.replies({
      configuration: new Map([
        ['zeta', 'a "quoted" ü'],
        ['10', 'ten'],
        ['2', 'two'],
      ]),
      certificate: 'CERT',
      ca: 'CA',
      ssldir: '/ssl',
      actionPolicies: new Map([['puppet.policy', 'p']]),
      opaPolicies: new Map([['x.rego', 'r']]),
    });
    await bench.run();
    expect(bench.helper.asked).toEqual([{ identity: bench.node.identity, inventory: bench.node.inventory }]);
    expect(bench.node.committed).toEqual([
      {
        configurationJson: '{"zeta":"a \\"quoted\\" ü","10":"ten","2":"two"}',
        certificatePem: 'CERT',
        caPem: 'CA',
        sslDir: '/ssl',
        keyPem: '',
        nodeEcdhPublic: Buffer.alloc(0),
        provisionerEcdhPublic: Buffer.alloc(0),
        serverJwt: '',
        actionPolicies: new Map([['puppet.policy', 'p']]),
        opaPolicies: new Map([['x.rego', 'r']]),
      },
    ]);
  });

  it('leaves an upgrade that the helper wants alone while upgrades are off', async () => {
    const bench = new RunBench();
    bench.helper.replies({ upgrade: '9.9.9' });
    expect((await bench.run()).outcome.kind).toBe('PROVISIONED');
  });

  it('tells the boot that Identify named as soon as it is known', async () => {
    const bench = new RunBench();
    let bootId: string | undefined;
    await bench.runAnd('getInventory', (run) => {
      bootId = run.bootId;
    });
    expect(bootId).toBe(bench.node.bootId);
  });
});

describe('Identify', () => {
  it('fails a node that is not there as UNREACHABLE, after one try', async () => {
    const bench = new RunBench();
    bench.node.gone = true;
    expect((await bench.run()).outcome).toMatchObject({ kind: 'FAILED', reason: 'UNREACHABLE' });
    expect(bench.node.count('identify')).toBe(1);
    expect(bench.story).toEqual(['IDENTIFY UNAVAILABLE']);
  });

  it('fails a node that never answers within identify_timeout', async () => {
    const bench = new RunBench();
    bench.node.fault('identify', { kind: 'HANG' });
    const { outcome, durationMs } = await bench.run();
    expect(outcome).toMatchObject({ kind: 'FAILED', reason: 'UNREACHABLE' });
    expect(durationMs).toBe(2_000);
  });

  it('fails another node at the address', async () => {
    const bench = new RunBench();
    const { sighted } = bench;
    bench.node.identity = parseIdentity('n2.example.net') ?? bench.node.identity;
    expect((await bench.run({ node: sighted })).outcome).toMatchObject({ reason: 'IDENTITY_MISMATCH' });
    expect(bench.story).toEqual(['IDENTIFY IDENTITY_MISMATCH']);
  });

  it('fails a node that is not in provisioning mode', async () => {
    const bench = new RunBench();
    bench.node.provisioning = false;
    expect((await bench.run()).outcome).toMatchObject({ reason: 'NOT_PROVISIONING' });
  });

  it('is the truth where it names another boot than the sighting', async () => {
    const bench = new RunBench();
    const node = { ...bench.sighted, bootId: newBootId() };
    expect((await bench.run({ node })).outcome.kind).toBe('PROVISIONED');
  });

  it('fails an address that may not be dialled as UNREACHABLE, saying why', async () => {
    const bench = new RunBench();
    bench.node.refuseDial = 'is outside node_networks';
    const { outcome } = await bench.run();
    expect(outcome).toEqual({ kind: 'FAILED', reason: 'UNREACHABLE', message: 'is outside node_networks' });
    expect(bench.story).toEqual(['IDENTIFY UNREACHABLE']);
  });
});

describe('GetInventory', () => {
  it('is left out while an inventory of the same boot is young', async () => {
    const bench = new RunBench();
    bench.helper.replies({ defer: true });
    const first = await bench.run();
    await bench.clock.advance(60_000);
    const second = await bench.run({ fetched: first.fetched });
    expect(bench.node.count('getInventory')).toBe(1);
    expect(second.fetched).toEqual(first.fetched);
    expect(bench.helper.asked).toHaveLength(2);
  });

  it('is fetched again when it is two intervals old', async () => {
    const bench = new RunBench();
    bench.helper.replies({ defer: true });
    const first = await bench.run();
    await bench.clock.advance(120_000);
    await bench.run({ fetched: first.fetched });
    expect(bench.node.count('getInventory')).toBe(2);
  });

  it('is fetched again from another boot', async () => {
    const bench = new RunBench();
    bench.helper.replies({ defer: true });
    const first = await bench.run();
    bench.node.reboot();
    const second = await bench.run({ fetched: first.fetched });
    expect(bench.node.count('getInventory')).toBe(2);
    expect(second.fetched?.bootId).toBe(bench.node.bootId);
  });

  it('is kept for the next run when the helper fails', async () => {
    const bench = new RunBench();
    bench.helper.answer = async () => {
      throw new HelperError('HELPER_EXIT', 'exit code 1');
    };
    const { fetched } = await bench.run();
    expect(fetched?.inventory?.value).toEqual(bench.node.inventory);
  });

  it('fails an inventory that is too large without another try', async () => {
    const bench = new RunBench();
    const failure = status('RESOURCE_EXHAUSTED', { message: 'Received message larger than max' });
    bench.node.fault('getInventory', { kind: 'FAIL', failure });
    expect((await bench.run()).outcome).toMatchObject({ reason: 'MESSAGE_TOO_LARGE' });
    expect(bench.node.count('getInventory')).toBe(1);
  });
});

describe('the helper', () => {
  it('fails the run with its own reason', async () => {
    const bench = new RunBench();
    bench.helper.answer = async () => {
      throw new HelperError('HELPER_TIMEOUT', 'gave no answer in 10s');
    };
    const { outcome } = await bench.run();
    expect(outcome).toEqual({ kind: 'FAILED', reason: 'HELPER_TIMEOUT', message: 'gave no answer in 10s' });
    expect(bench.story).toEqual(['IDENTIFY', 'GET_INVENTORY', 'HELPER HELPER_TIMEOUT']);
  });

  it('defers the node, even where it wants it shut down too', async () => {
    const bench = new RunBench();
    bench.helper.replies({ defer: true, shutdown: true, msg: 'not yet', retryAfterMs: 90_000 });
    const { outcome } = await bench.run();
    expect(outcome).toEqual({ kind: 'DEFERRED', by: 'HELPER', message: 'not yet', retryAfterMs: 90_000 });
    expect(bench.node.count('shutdown')).toBe(0);
  });

  it('has the node shut down', async () => {
    const bench = new RunBench();
    bench.helper.replies({ shutdown: true, msg: 'retired' });
    expect((await bench.run()).outcome).toEqual({ kind: 'SHUT_DOWN', message: 'retired' });
    expect(bench.story).toEqual(['IDENTIFY', 'GET_INVENTORY', 'HELPER', 'SHUTDOWN']);
    expect(bench.warnings).toEqual([]);
  });

  it('is warned about when it gives no reason for a shutdown', async () => {
    const bench = new RunBench();
    bench.helper.replies({ shutdown: true });
    expect((await bench.run()).outcome).toEqual({ kind: 'SHUT_DOWN', message: '' });
    expect(bench.warnings).toEqual([expect.stringContaining('gives no reason')]);
  });

  it('is heard when it gives no configuration: nothing is sent', async () => {
    const bench = new RunBench();
    bench.helper.replies({ configuration: new Map() });
    expect((await bench.run()).outcome).toMatchObject({ reason: 'EMPTY_CONFIGURATION' });
    expect(bench.node.count('configure')).toBe(0);
  });

  it('cannot give a key while nothing encrypts it: nothing is sent', async () => {
    const bench = new RunBench();
    bench.helper.replies({ key: new Secret('KEY') });
    const { outcome } = await bench.run();
    expect(outcome).toMatchObject({
      reason: 'KEY_INVALID',
      message: expect.stringContaining('features.jwt'),
    });
    expect(bench.node.count('configure')).toBe(0);
  });

  it('that breaks in a way nobody planned fails the run, and is no secret', async () => {
    const bench = new RunBench();
    const fault = new TypeError('x is not a function');
    bench.helper.answer = async () => {
      throw fault;
    };
    expect((await bench.run()).outcome).toMatchObject({ kind: 'FAILED', message: 'internal error' });
    expect(bench.faults).toEqual([fault]);
    expect(bench.node.openChannels).toBe(0);
  });
});

describe('a node that refuses to shut down', () => {
  it('is warned about and left alone', async () => {
    const bench = new RunBench();
    bench.helper.replies({ shutdown: true, msg: 'retired' });
    bench.node.fault('shutdown', { kind: 'FAIL', failure: status('PERMISSION_DENIED') });
    expect((await bench.run()).outcome.kind).toBe('SHUT_DOWN');
    expect(bench.warnings).toEqual([expect.stringContaining('refused to shut down')]);
  });

  it('is not shut down where it was never reached', async () => {
    const bench = new RunBench();
    bench.helper.replies({ shutdown: true, msg: 'retired' });
    const failure = { kind: 'FAIL', failure: refused } as const;
    bench.node.fault('shutdown', failure, failure, failure);
    expect((await bench.run()).outcome).toMatchObject({ kind: 'FAILED', reason: 'RPC_FAILED' });
    expect(bench.node.count('shutdown')).toBe(3);
  });
});

describe('KEY_CHANGED', () => {
  const keyChanged = {
    kind: 'FAIL',
    failure: status('FAILED_PRECONDITION', { reason: 'KEY_CHANGED' }),
  } as const;

  it('starts the run over once, with nothing fetched', async () => {
    const bench = new RunBench();
    bench.node.fault('configure', keyChanged);
    expect((await bench.run()).outcome.kind).toBe('PROVISIONED');
    expect(bench.story).toEqual([
      'IDENTIFY',
      'GET_INVENTORY',
      'HELPER',
      'CONFIGURE FAILED_PRECONDITION KEY_CHANGED',
      'IDENTIFY',
      'GET_INVENTORY',
      'HELPER',
      'CONFIGURE',
      'RESTART',
    ]);
  });

  it('fails the run the second time', async () => {
    const bench = new RunBench();
    bench.node.fault('configure', keyChanged, keyChanged);
    const { outcome, fetched } = await bench.run();
    expect(outcome).toMatchObject({ reason: 'KEY_CHANGED' });
    expect(fetched).toBeUndefined();
  });

  it('at Restart fails the run: what was committed is not taken back', async () => {
    const bench = new RunBench();
    bench.node.fault('restart', keyChanged);
    expect((await bench.run()).outcome).toMatchObject({ kind: 'FAILED', reason: 'KEY_CHANGED' });
    expect(bench.node.count('configure')).toBe(1);
  });

  it('brings the run back before its point of no return', async () => {
    const bench = new RunBench();
    bench.node.fault('configure', keyChanged);
    const { outcome } = await bench.runAnd('configure', (run) => run.interrupt('PAUSED'));
    expect(outcome).toEqual({ kind: 'CANCELLED', cause: 'PAUSED' });
    expect(bench.node.committed).toEqual([]);
  });
});

describe('Configure', () => {
  it('is not followed by Restart where the node committed something else', async () => {
    const bench = new RunBench();
    bench.node.digestOverride = 'ab'.repeat(32);
    expect((await bench.run()).outcome).toMatchObject({ kind: 'FAILED', reason: 'REPLY_INVALID' });
    expect(bench.node.restarts).toBe(0);
  });

  it('sends the same bytes again on every try', async () => {
    const bench = new RunBench();
    bench.helper.answer = async () => helperReply({ configuration: new Map([['a', '1']]) });
    bench.node.fault('configure', { kind: 'FAIL', failure: tooLate }, { kind: 'FAIL', failure: tooLate });
    await bench.run();
    expect(bench.node.count('configure')).toBe(3);
    expect(bench.helper.asked).toHaveLength(1);
    expect(bench.node.committed).toHaveLength(1);
  });

  it('says which argument the node refused', async () => {
    const bench = new RunBench();
    const failure = status('INVALID_ARGUMENT', {
      reason: 'ARGUMENT_INVALID',
      message: 'configuration_json: line break',
    });
    bench.node.fault('configure', { kind: 'FAIL', failure });
    expect((await bench.run()).outcome).toMatchObject({
      reason: 'RPC_FAILED',
      message: expect.stringContaining('configuration_json'),
    });
    expect(bench.node.count('getRunStatus')).toBe(0);
  });
});

describe('Restart', () => {
  it('fails where the configuration would bring the node back into provisioning mode', async () => {
    const bench = new RunBench();
    const failure = status('FAILED_PRECONDITION', { reason: 'PROVISIONING_ENABLED' });
    bench.node.fault('restart', { kind: 'FAIL', failure });
    expect((await bench.run()).outcome).toMatchObject({ kind: 'FAILED', reason: 'PROVISIONING_ENABLED' });
  });
});
