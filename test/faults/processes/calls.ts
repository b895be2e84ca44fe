// The steps of a run that call the node: each node's call is held, lost or answered twice, and what calls are held for
// is done to a process.

import type { NodeOnDisk } from '../../../services/mock-node/state/read-node-state.js';
import type { FaultStep } from '../table.js';
import { delay, delayMs, type Form, intervalFor } from './forms.js';
import type { Gate } from './gate.js';
import { Scene } from './scene.js';
import { strike } from './strikes.js';

/** Those of a site with tokens and ed25519 keys; one with certificates has one of its own. */
const steps = [
  'IDENTIFY',
  'GET_JWT',
  'GENERATE_KEY',
  'GET_INVENTORY',
  'UPDATE_RELEASE',
  'CONFIGURE',
  'RESTART',
  'SHUTDOWN',
] as const satisfies readonly FaultStep[];

/** After these the node goes down by itself, at once. */
const lastCalls = ['UPDATE_RELEASE', 'RESTART', 'SHUTDOWN'] as const satisfies readonly FaultStep[];

/** What the node has on disk when its work is done; where nothing is said, it writes nothing. */
const done: Readonly<Partial<Record<FaultStep, readonly NodeOnDisk['stage'][]>>> = {
  GENERATE_KEY: ['KEYED'],
  GENERATE_CSR: ['KEYED'],
  UPDATE_RELEASE: ['UPGRADED'],
  CONFIGURE: ['CONFIGURED'],
  RESTART: ['RESTARTING', 'CONFIRMED'],
  SHUTDOWN: ['STOPPING'],
};

/** @returns the scenes, each run to its end */
export function runCalls(form: Form): Promise<Scene[]> {
  return Promise.all([run(form, steps), run(form, ['GENERATE_CSR'])]);
}

async function run(form: Form, ofScene: readonly FaultStep[]): Promise<Scene> {
  const { call } = form;
  const isHeldAfter = call === 'hang-after' && form.strike !== undefined;
  const scene = await Scene.open({
    steps: ofScene,
    call,
    interval: intervalFor(form),
    provisioner: timeoutsFor(form, ofScene),
    // Nobody learns from a node that went down what it did, before the test has struck.
    swarm: isHeldAfter ? ['--down-time', '3s'] : [],
  });
  const gates = isHeldAfter ? waitBefore(scene, lastCalls) : new Map<FaultStep, Gate>();
  await scene.startNodes();
  if (form.strike === undefined) {
    await scene.untilOver();
    return scene;
  }
  await scene.untilStruck(ofScene.filter((step) => !gates.has(step)));
  for (const [step, gate] of gates) {
    await gate.untilHeld();
    gate.open();
    await scene.untilStruck([step]);
  }
  if (isHeldAfter) await untilDone(scene);
  else expectHeld(scene, form);
  const letGo = await strike(scene, form.strike);
  await letGo();
  await scene.untilOver();
  return scene;
}

/** What has to be given up is given up soon; an RSA key takes its time. All else may take as long as the test does. */
function timeoutsFor({ call, strike: held }: Form, ofScene: readonly FaultStep[]): Record<string, string> {
  const isGivenUp = held === undefined && (call === 'hang' || call === 'hang-after');
  if (!isGivenUp) return { identify_timeout: '60s', rpc_timeout: '60s' };
  const rpcTimeout = ofScene.includes('GENERATE_CSR') ? '5s' : '2s';
  return { identify_timeout: '2s', rpc_timeout: rpcTimeout, upgrade_timeout: '3s' };
}

/** Calls that are delayed go on by themselves: a test that comes too late shows nothing. */
function expectHeld(scene: Scene, { call }: Form): void {
  if (call !== delay) return;
  const firstStruckAt = Math.min(...scene.steps.map((step) => scene.story(step).struckAt));
  const heldMs = Date.now() - firstStruckAt;
  if (heldMs > delayMs - 1_000) {
    throw new Error(`this machine is too slow: after ${heldMs} ms calls are not under way any more`);
  }
}

function waitBefore(scene: Scene, held: readonly FaultStep[]): ReadonlyMap<FaultStep, Gate> {
  const ofScene = held.filter((step) => scene.steps.includes(step));
  return new Map(ofScene.map((step) => [step, scene.helperWaits(step)]));
}

/** Resolves when every node has done what it was asked to. */
async function untilDone(scene: Scene): Promise<void> {
  const isDone = async (step: FaultStep) => {
    const stages = done[step];
    const last = (await scene.state(step)).runs.at(-1)?.stage ?? 'NONE';
    return stages === undefined || stages.includes(last);
  };
  for (const step of scene.steps) await scene.until(() => isDone(step), `${step} is done`, 5);
}
