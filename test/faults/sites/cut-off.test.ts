// A node whose connection dies between Configure and Restart: a later run brings it into service, and its history
// says what happened.

import { expect, test } from 'vitest';
import { freePorts } from '../../../cli/launch/ports.js';
import type { Stack } from '../../../cli/launch/stack.js';
import { until } from '../../../cli/launch/until.js';
import { type NodeOnDisk, readNodeState } from '../../../services/mock-node/state/read-node-state.js';
import { launchNode } from '../../e2e/lone-node.js';
import { NodeFiles } from '../../e2e/node-files.js';
import { type LogLine, linesOf, untilLine } from '../../e2e/strangers/log.js';
import { prepareStack, testHelper } from '../../e2e/workspace.js';
import type { FaultProxy } from '../../fakes/fault-proxy.js';
import { startProxy } from './proxy.js';

const identity = 'far.example.net';

/** Where the node is, and where everybody is told that it is: there stands the proxy. */
const nodeHost = '127.0.0.2';
const knownHost = '127.0.0.3';

interface FarNode {
  readonly stack: Stack;
  readonly line: FaultProxy;
  readonly state: () => Promise<NodeOnDisk>;
}

/** Starts a node beyond a line on which each direction takes its time. */
async function startFarNode(ms: { readonly toNode: number; readonly fromNode: number }): Promise<FarNode> {
  const { port } = await freePorts(['port']);
  const stack = await prepareStack({
    nodes: 1,
    tls: 'required',
    helper: testHelper('stamped.sh'),
    discovery: { interval: '2s', report_interval: '1s' },
    provisioner: {
      interval: '2s',
      identify_timeout: '5s',
      rpc_timeout: '2s',
      hold: '3s',
      confirm_timeout: '2s',
    },
  });
  const line = await startProxy({
    listen: `${knownHost}:${port}`,
    target: `${nodeHost}:${port}`,
    mode: { kind: 'LATENCY', toServerMs: ms.toNode, toClientMs: ms.fromNode },
  });
  await stack.start('discovery');
  await stack.start('provisioner');
  await launchNode(stack, {
    identity,
    host: nodeHost,
    port,
    discovery: `127.0.0.1:${stack.ports.nodes}`,
    flags: ['--advertise-host', knownHost],
  });
  return { stack, line, state: () => readNodeState(new NodeFiles(stack, identity).directory) };
}

async function untilStage({ state }: FarNode, stage: NodeOnDisk['stage']): Promise<NodeOnDisk> {
  const look = async () => {
    const found = await state();
    return found.stage === stage && found;
  };
  return await until(look, { what: `the node is ${stage}`, timeoutMs: 30_000, everyMs: 5 });
}

/** Resolves with the first line of that kind about the node, after those that are known. */
function untilSaid({ stack }: FarNode, msg: string, but: readonly LogLine[] = []): Promise<LogLine> {
  const known = new Set(but.map(({ run_id }) => run_id));
  const fits = (line: LogLine) =>
    line.identity === identity && line.msg.startsWith(msg) && !known.has(line.run_id);
  return untilLine(stack.logFile('provisioner'), fits);
}

/** The line is good again: a later run does what is to be done, and names the one before it. */
async function expectMended(node: FarNode, cutOff: LogLine, how: string): Promise<void> {
  node.line.set({ kind: 'PASS' });
  const mended = await untilSaid(node, 'run finished: PROVISIONED', [cutOff]);
  expect(mended.message).toBe(`run ${cutOff.run_id} had ${how} it and could not restart it`);
  const confirmed = await untilSaid(node, 'node came up with its configuration');
  expect(confirmed.run_id).toBe(mended.run_id);
  const state = await node.state();
  expect(state).toMatchObject({ confirmed: true, runId: mended.run_id, problems: [] });
  const warned = linesOf(node.stack.logFile('provisioner')).filter(
    ({ level, run_id, msg }) =>
      level === 'warn' && run_id === mended.run_id && msg.includes(String(cutOff.run_id)),
  );
  expect(warned).toHaveLength(1);
}

test('cut off before Configure is answered: the run fails and says how it left the node, and a later one restarts it', async () => {
  const node = await startFarNode({ toNode: 0, fromNode: 300 });
  await untilStage(node, 'CONFIGURED');
  node.line.set({ kind: 'RESET' });
  const cutOff = await untilSaid(node, 'run finished: FAILED');
  expect(cutOff).toMatchObject({ reason: 'RPC_FAILED' });
  expect(cutOff.message).toMatch(/^perhaps configured, and not restarted: /);
  const { status, runId } = await node.state();
  expect([status, runId]).toEqual(['COMMITTED', cutOff.run_id]);
  await expectMended(node, cutOff, 'perhaps configured');
});

test('cut off after Configure is answered: where Restart has gone nobody can say, and a later run restarts the node', async () => {
  const node = await startFarNode({ toNode: 300, fromNode: 0 });
  await untilStage(node, 'CONFIGURED');
  node.line.set({ kind: 'BLACK_HOLE' });
  const cutOff = await untilSaid(node, 'run finished');
  expect(cutOff).toMatchObject({
    outcome: 'PROVISIONED',
    message: expect.stringContaining('the restart is not settled'),
  });
  const missed = await untilSaid(node, 'node did not say that it came up with its configuration');
  expect(missed.run_id).toBe(cutOff.run_id);
  expect((await node.state()).status).toBe('COMMITTED');
  await expectMended(node, cutOff, 'configured');
});
