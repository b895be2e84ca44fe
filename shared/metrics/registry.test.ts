import { describe, expect, it } from 'vitest';
import { anyValue, combinations } from './labels.js';
import { Metrics } from './registry.js';

function create(): Metrics {
  return new Metrics({ site: 'lab', service: 'mock-node' });
}

/** The lines of one metric, without help and type. */
async function series(metrics: Metrics, name: string): Promise<string[]> {
  const text = await metrics.registry.metrics();
  return text.split('\n').filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
}

describe('Metrics', () => {
  it('has build_info and the metrics of the process', async () => {
    const metrics = create();
    expect(await series(metrics, 'slipway_build_info')).toEqual([
      expect.stringMatching(/^slipway_build_info\{version="\d+\.\d+\.\d+.*",node="v\d+\..*",site="lab"\} 1$/),
    ]);
    expect(await series(metrics, 'process_open_fds')).toHaveLength(1);
  });

  it('may be made more than once in a process', async () => {
    const [first, second] = [create(), create()];
    first.counter({ name: 'things_total', help: 'Things.' }).inc();
    second.counter({ name: 'things_total', help: 'Things.' });
    expect(await series(first, 'slipway_mock_node_things_total')).toEqual([
      'slipway_mock_node_things_total{site="lab"} 1',
    ]);
    expect(await series(second, 'slipway_mock_node_things_total')).toEqual([
      'slipway_mock_node_things_total{site="lab"} 0',
    ]);
  });
});

describe('a counter', () => {
  it('exists at zero for every combination of known label values', async () => {
    const metrics = create();
    const calls = metrics.counter({
      name: 'calls_total',
      help: 'Calls.',
      labels: { rpc: ['Identify', 'Restart'], code: ['OK', 'INTERNAL'] },
    });
    calls.inc({ rpc: 'Restart', code: 'OK' });
    calls.inc({ rpc: 'Restart', code: 'OK' }, 2);
    expect(await series(metrics, 'slipway_mock_node_calls_total')).toEqual([
      'slipway_mock_node_calls_total{rpc="Identify",code="OK",site="lab"} 0',
      'slipway_mock_node_calls_total{rpc="Identify",code="INTERNAL",site="lab"} 0',
      'slipway_mock_node_calls_total{rpc="Restart",code="OK",site="lab"} 3',
      'slipway_mock_node_calls_total{rpc="Restart",code="INTERNAL",site="lab"} 0',
    ]);
  });

  it('exists at zero only for the combinations that make sense, where they are named', async () => {
    const metrics = create();
    metrics.counter({
      name: 'runs_total',
      help: 'Runs.',
      labels: { outcome: ['PROVISIONED', 'FAILED'], reason: ['', 'UNREACHABLE'] },
      only: [
        { outcome: 'PROVISIONED', reason: '' },
        { outcome: 'FAILED', reason: 'UNREACHABLE' },
      ],
    });
    expect(await series(metrics, 'slipway_mock_node_runs_total')).toEqual([
      'slipway_mock_node_runs_total{outcome="PROVISIONED",reason="",site="lab"} 0',
      'slipway_mock_node_runs_total{outcome="FAILED",reason="UNREACHABLE",site="lab"} 0',
    ]);
  });

  it('reads what somebody else counts when it is asked', async () => {
    const metrics = create();
    let lost = 0;
    metrics.counter({ name: 'lost_total', help: 'Lost.', read: () => lost });
    expect(await series(metrics, 'slipway_mock_node_lost_total')).toEqual([
      'slipway_mock_node_lost_total{site="lab"} 0',
    ]);
    lost = 7;
    await series(metrics, 'slipway_mock_node_lost_total');
    expect(await series(metrics, 'slipway_mock_node_lost_total')).toEqual([
      'slipway_mock_node_lost_total{site="lab"} 7',
    ]);
  });

  it('has no series of a label whose values are not known, until one comes', async () => {
    const metrics = create();
    const seen = metrics.counter({ name: 'seen_total', help: 'Seen.', labels: { source: anyValue } });
    expect(await series(metrics, 'slipway_mock_node_seen_total')).toEqual([]);
    seen.inc({ source: '10.0.0.1' });
    expect(await series(metrics, 'slipway_mock_node_seen_total')).toHaveLength(1);
  });
});

describe('a gauge', () => {
  it('shows what was set', async () => {
    const metrics = create();
    const paused = metrics.gauge({ name: 'paused', help: 'Paused.' });
    const hosts = metrics.gauge({ name: 'hosts', help: 'Hosts.', labels: { state: ['QUEUED', 'HELD'] } });
    paused.set(1);
    hosts.set({ state: 'HELD' }, 5);
    expect(await series(metrics, 'slipway_mock_node_paused')).toEqual([
      'slipway_mock_node_paused{site="lab"} 1',
    ]);
    expect(await series(metrics, 'slipway_mock_node_hosts')).toEqual([
      'slipway_mock_node_hosts{state="QUEUED",site="lab"} 0',
      'slipway_mock_node_hosts{state="HELD",site="lab"} 5',
    ]);
  });

  it('reads what is the case when it is asked', async () => {
    const metrics = create();
    const queue: string[] = [];
    const states = new Map([['QUEUED', 2]]);
    metrics.gauge({ name: 'queue_entries', help: 'Waiting.', read: () => queue.length });
    metrics.gauge({
      name: 'hosts',
      help: 'Hosts.',
      labels: { state: ['QUEUED', 'HELD'] },
      read: (set) => {
        for (const [state, count] of states) set({ state: state === 'QUEUED' ? 'QUEUED' : 'HELD' }, count);
      },
    });
    queue.push('a', 'b', 'c');
    expect(await series(metrics, 'slipway_mock_node_queue_entries')).toEqual([
      'slipway_mock_node_queue_entries{site="lab"} 3',
    ]);
    expect(await series(metrics, 'slipway_mock_node_hosts')).toEqual([
      'slipway_mock_node_hosts{state="QUEUED",site="lab"} 2',
      'slipway_mock_node_hosts{state="HELD",site="lab"} 0',
    ]);
    states.clear();
    queue.length = 0;
    expect(await series(metrics, 'slipway_mock_node_queue_entries')).toEqual([
      'slipway_mock_node_queue_entries{site="lab"} 0',
    ]);
    expect((await series(metrics, 'slipway_mock_node_hosts'))[0]).toMatch(/ 0$/);
  });
});

describe('a histogram', () => {
  it('exists at zero, and counts what it observes', async () => {
    const metrics = create();
    const runs = metrics.histogram({ name: 'run_seconds', help: 'Runs.', buckets: [1, 10] });
    const calls = metrics.histogram({
      name: 'rpc_seconds',
      help: 'Calls.',
      labels: { rpc: ['Identify', 'Restart'] },
    });
    expect(await series(metrics, 'slipway_mock_node_rpc_seconds_count')).toEqual([
      'slipway_mock_node_rpc_seconds_count{site="lab",rpc="Identify"} 0',
      'slipway_mock_node_rpc_seconds_count{site="lab",rpc="Restart"} 0',
    ]);
    runs.observe(5);
    calls.observe({ rpc: 'Restart' }, 0.5);
    expect(await series(metrics, 'slipway_mock_node_run_seconds_bucket')).toEqual([
      'slipway_mock_node_run_seconds_bucket{le="1",site="lab"} 0',
      'slipway_mock_node_run_seconds_bucket{le="10",site="lab"} 1',
      'slipway_mock_node_run_seconds_bucket{le="+Inf",site="lab"} 1',
    ]);
  });
});

describe('combinations', () => {
  it('are all of them, and one where there are no labels', () => {
    expect(combinations({ a: ['1', '2'], b: ['x'] })).toEqual([
      { a: '1', b: 'x' },
      { a: '2', b: 'x' },
    ]);
    expect(combinations({})).toEqual([{}]);
  });
});
