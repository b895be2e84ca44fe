import { describe, expect, it } from 'vitest';
import { newBootId, newRunId } from '../../../shared/identity.js';
import { Secret } from '../../../shared/secret.js';
import { FakeClock, settle } from '../../../test/fakes/fake-clock.js';
import { FakeNode } from '../../../test/fakes/fake-node-agent.js';
import { createAskNode, createIncumbentCheck } from './probe.js';

function sighted(node: FakeNode) {
  return {
    identity: node.identity,
    bootId: node.bootId,
    address: '192.0.2.1:7430',
    certificateSha256: '',
    source: 'PROBED',
    discovery: 'discovery:7412',
    epoch: 'e1',
  } as const;
}

describe('an incumbent', () => {
  it('is there where it answers with its boot', async () => {
    const node = new FakeNode(new FakeClock());
    const isThere = createIncumbentCheck({ dial: node.dial, identifyTimeoutMs: 2_000 });
    expect(await isThere(sighted(node))).toBe(true);
    expect(node.openChannels).toBe(0);
  });

  it('is not there with another boot, under another name, or silent', async () => {
    const clock = new FakeClock();
    const node = new FakeNode(clock);
    const isThere = createIncumbentCheck({ dial: node.dial, identifyTimeoutMs: 2_000 });
    expect(await isThere({ ...sighted(node), bootId: newBootId() })).toBe(false);

    node.fault('identify', { kind: 'HANG' });
    const silent = isThere(sighted(node));
    await clock.advance(2_000);
    expect(await silent).toBe(false);

    node.gone = true;
    expect(await isThere(sighted(node))).toBe(false);
    node.refuseDial = 'is outside node_networks';
    expect(await isThere(sighted(node))).toBe(false);
    expect(node.openChannels).toBe(0);
  });
});

describe('a node that is asked for its confirmation', () => {
  const runId = newRunId();
  const digest = 'ab'.repeat(32);

  function bench(options: { readonly tokens?: string[]; readonly concurrency?: number } = {}) {
    const clock = new FakeClock();
    const node = new FakeNode(clock);
    const askNode = createAskNode({
      dial: node.dial,
      identifyTimeoutMs: 2_000,
      rpcTimeoutMs: 10_000,
      tokens: () => (options.tokens ?? ['s3cret']).map((token) => new Secret(token)),
      clock,
      random: () => 0.5,
      ...(options.concurrency === undefined ? {} : { concurrency: options.concurrency }),
    });
    const aborter = new AbortController();
    let answer: boolean | undefined;
    const ask = () => {
      void askNode({ node: sighted(node), runId, configurationDigest: digest }, 7n, aborter.signal).then(
        (confirmed) => {
          answer = confirmed;
        },
      );
    };
    return { clock, node, ask, aborter, answer: () => answer };
  }

  function configured(node: FakeNode, configurationDigest = digest): void {
    node.records.set(runId, { stage: 'CONFIGURED', configurationDigest });
    node.reboot();
  }

  it('confirms once it is out of provisioning mode and says so', async () => {
    const { clock, node, ask, answer } = bench();
    ask();
    await clock.advance(1_000);
    expect(node.count('identify')).toBe(1);
    expect(answer()).toBeUndefined();
    configured(node);
    await clock.advance(2_000);
    expect(answer()).toBe(true);
    expect(node.calls.at(-1)?.caller).toMatchObject({ runId, fence: 7n, bootId: node.bootId });
    expect(node.openChannels).toBe(0);
  });

  it('does not confirm while it is in provisioning mode, whatever it says', async () => {
    const { clock, node, ask, answer } = bench();
    configured(node);
    node.provisioning = true;
    ask();
    await clock.advance(60_000);
    expect(node.count('identify')).toBeGreaterThan(1);
    expect(answer()).toBeUndefined();
  });

  it('does not confirm another configuration', async () => {
    const { clock, node, ask, answer, aborter } = bench();
    configured(node, 'cd'.repeat(32));
    ask();
    await clock.advance(60_000);
    expect(answer()).toBeUndefined();
    aborter.abort();
    await settle();
    expect(answer()).toBe(false);
    expect(clock.pendingTimers).toBe(0);
  });

  it('is asked with each secret of the list', async () => {
    const { clock, node, ask, answer } = bench({ tokens: ['new', 'old'] });
    node.secret = 'old';
    configured(node);
    ask();
    await clock.advance(1_000);
    expect(answer()).toBe(true);
  });

  it('waits for another turn where too many are asked already', async () => {
    const { clock, node, ask, answer } = bench({ concurrency: 0 });
    configured(node);
    ask();
    await clock.advance(60_000);
    expect(node.calls).toEqual([]);
    expect(answer()).toBeUndefined();
  });
});
