import { expect, test } from 'vitest';
import { type PersonaName, personaOf } from '../../../services/mock-node/personas/persona.js';
import type { NodeOnDisk } from '../../../services/mock-node/state/read-node-state.js';
import { newRunId, type RunId } from '../../../shared/identity.js';
import { pairsOf } from './clones.js';
import { missingOf, wrongOf } from './expectations.js';
import { type FinishedRun, History, startOf } from './history.js';
import type { Machine } from './machine.js';
import { tooHeavy } from './memory.js';
import { repeatsOf } from './repeats.js';
import { columnOf } from './verdict.js';

const runId = newRunId();
/** A minute earlier. */
const before = earlier(runId);

function earlier(id: RunId): RunId {
  const hex = (startOf(id) - 60_000).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}${id.slice(13)}` as RunId;
}

const untouched: NodeOnDisk = {
  identity: 'node-1',
  configurations: 0,
  runId: '',
  digest: '',
  status: 'NONE',
  stage: 'NONE',
  release: undefined,
  confirmed: false,
  runs: [],
  settings: new Map(),
  problems: [],
};

const committing = (id: RunId) =>
  ({ runId: id, stage: 'CONFIRMED', configurationDigest: 'd', updatedAt: 0 }) as const;

const up: Partial<NodeOnDisk> = {
  configurations: 1,
  runId,
  status: 'INSTALLED',
  stage: 'CONFIRMED',
  confirmed: true,
  runs: [committing(runId)],
};

function machine(name: PersonaName, disk: Partial<NodeOnDisk> = {}, address = '127.1.0.1:7430'): Machine {
  return {
    name: address,
    identity: 'node-1',
    persona: personaOf(name, 0),
    address,
    disk: { ...untouched, ...disk },
  };
}

function finished(id: RunId, over: Partial<FinishedRun> = {}): FinishedRun {
  const startedAt = startOf(id);
  return {
    runId: id,
    outcome: 'PROVISIONED',
    reason: '',
    message: '',
    startedAt,
    endedAt: startedAt + 10,
    ...over,
  };
}

function historyWith(tell: (told: ReturnType<History['of']>) => void): History {
  const history = new History();
  tell(history.of('node-1'));
  return history;
}

test('a healthy node is missed until it is up, and until the provisioner has said so', () => {
  expect(missingOf([machine('healthy')], new History())).toHaveLength(1);
  expect(missingOf([machine('healthy', up)], new History())).toHaveLength(1);
  const history = historyWith((told) => told.confirmations.set(runId, [1]));
  expect(missingOf([machine('healthy', up)], history)).toEqual([]);
  expect(wrongOf([machine('healthy', up)], history)).toEqual([]);
  expect(columnOf(machine('healthy', up), history)).toBe('CONFIRMED');
});

test('what must not be is found', () => {
  const told = (tell: Parameters<typeof historyWith>[0], of: Machine) => wrongOf([of], historyWith(tell));
  const nothing = () => {};
  expect(told(nothing, machine('dead', { configurations: 1 }))).toHaveLength(1);
  expect(
    told((each) => each.runs.push(finished(runId, { reason: 'RPC_FAILED' })), machine('dead')),
  ).toHaveLength(1);
  expect(told(nothing, machine('lying', up))).toHaveLength(1);
  expect(told((each) => each.confirmations.set(runId, [1]), machine('looping'))).toHaveLength(1);
  expect(told((each) => each.confirmations.set(runId, [1, 2, 2]), machine('healthy', up))).toHaveLength(1);
  expect(told((each) => each.confirmations.set(before, [1]), machine('slow', up))).toHaveLength(1);
  expect(told(nothing, machine('slow', { ...up, problems: ['server.conf differs'] }))).toHaveLength(1);
  expect(told((each) => (each.loops = 1), machine('healthy', up))).toHaveLength(1);
  const conflict = { at: 0, address: '127.1.0.1:1', newcomerAddress: '127.1.0.2:1' };
  expect(told((each) => each.conflicts.push(conflict), machine('flapping', up))).toHaveLength(1);
  const overlapping = [finished(before, { endedAt: startOf(runId) + 1 }), finished(runId)];
  expect(told((each) => each.runs.push(...overlapping), machine('healthy', up))).toHaveLength(1);
});

test('a node that was configured again needs a cause', () => {
  const again = machine('healthy', {
    ...up,
    configurations: 2,
    runs: [committing(before), committing(runId)],
  });
  const kill = (at: number) => ({ kind: 'KILL', service: 'provisioner', from: at, to: at + 1 }) as const;
  const nobody = new History().of('node-1');
  expect(repeatsOf(again, nobody, [kill(startOf(before) - 10_000)]).problems).toHaveLength(1);
  expect(repeatsOf(again, nobody, [kill(startOf(before) + 10)])).toEqual({
    causes: ['KILLED'],
    problems: [],
  });
  const cutOff = historyWith((told) => {
    told.runs.push(
      finished(before, { outcome: 'FAILED', message: 'configured, but not restarted: UNAVAILABLE' }),
    );
  }).of('node-1');
  expect(repeatsOf(again, cutOff, []).problems).toHaveLength(1);
  cutOff.strikes.push({ at: startOf(before), rpc: 'restart', fault: 'hang' });
  expect(repeatsOf(again, cutOff, [])).toEqual({ causes: ['STRUCK'], problems: [] });
  expect(
    repeatsOf({ ...again, disk: { ...again.disk, configurations: 3 } }, cutOff, []).problems,
  ).toHaveLength(1);
});

test('clones that both came up need a cause', () => {
  const pair = [
    machine('cloned', { ...up, runId: before }, '127.1.0.1:7430'),
    machine('cloned', up, '127.1.0.2:7430'),
  ];
  expect(pairsOf(pair, new History(), [])).toMatchObject({
    pairs: 1,
    causes: [],
    problems: [expect.anything()],
  });
  const at = startOf(runId) - 5_000;
  const killed = { kind: 'KILL', service: 'discovery', from: at, to: at + 1 } as const;
  expect(pairsOf(pair, new History(), [killed])).toEqual({ pairs: 1, causes: ['FORGOTTEN'], problems: [] });
  const moveTo = (address: string) => historyWith((told) => told.moves.push({ at, address }));
  expect(pairsOf(pair, moveTo('127.1.0.1:7430'), []).problems).toHaveLength(1);
  expect(pairsOf(pair, moveTo('127.1.0.2:7430'), []).causes).toEqual(['UNANSWERED']);
});

test('a machine is in the column of what was told most of it, and UNREACHABLE where nothing else was', () => {
  const ended = (reason: string) => finished(newRunId(), { outcome: 'FAILED', reason });
  const columnAfter = (...reasons: string[]) =>
    columnOf(
      machine('lying'),
      historyWith((told) => told.runs.push(...reasons.map(ended))),
    );
  expect(columnAfter()).toBe('NOTHING');
  expect(columnAfter('UNREACHABLE')).toBe('UNREACHABLE');
  expect(columnAfter('UNREACHABLE', 'UNREACHABLE', 'TOKEN_INVALID')).toBe('TOKEN_INVALID');
  expect(columnAfter('RPC_FAILED', 'TOKEN_INVALID', 'RPC_FAILED')).toBe('RPC_FAILED');
});

test('a service may hold so much of each node; of its processes the last one counts', () => {
  const memory = { service: 'discovery', pid: 1, first: 110, peak: 900, last: 300, leastHeap: 75 } as const;
  expect(tooHeavy([memory], 1_000)).toEqual([]);
  expect(tooHeavy([{ ...memory, leastHeap: 90 }], 1_000)).toEqual([
    'discovery: 90 MiB of heap, where 80 are enough',
  ]);
  expect(tooHeavy([{ ...memory, last: 301, leastHeap: undefined }], 1_000)).toHaveLength(2);
  expect(tooHeavy([{ ...memory, last: 900 }, memory], 1_000)).toEqual([]);
});
