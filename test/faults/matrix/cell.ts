// Runs one cell of the fault matrix: a node whose first run meets a fault at a step, and what became of it.

import { type Cell, cellName, type FaultName, type FaultStep, type FirstOutcome } from '../table.js';
import type { Door, Fault } from '../world/faults.js';
import type { WorldNode } from '../world/node.js';
import type { RunStory } from '../world/story.js';
import { World, type WorldOptions } from '../world/world.js';

/** Forms in which a fault comes: the cell is the same for all of them. */
export type Form = 'AS IT IS' | 'POWER CUT' | 'SILENCE';

/** The most that a story may take: milliseconds. */
const longestMs = 3_600_000;
/** How long an operator pauses: milliseconds. */
const pauseMs = 90_000;
/** In this time nothing more may happen: milliseconds. */
const afterwardsMs = 300_000;

const doors: Readonly<Record<FaultStep, Door>> = {
  IDENTIFY: 'Identify',
  GET_JWT: 'GetJwt',
  GENERATE_KEY: 'GenerateEd25519Key',
  GET_INVENTORY: 'GetInventory',
  GENERATE_CSR: 'GenerateCsr',
  HELPER: 'Helper',
  CREDENTIALS: 'Signing',
  UPDATE_RELEASE: 'UpdateRelease',
  CONFIGURE: 'Configure',
  RESTART: 'Restart',
  SHUTDOWN: 'Shutdown',
};

/** What a site must be like for its runs to come to the step. */
function siteFor(step: FaultStep): WorldOptions {
  switch (step) {
    case 'GENERATE_CSR':
      return { features: { ed25519: false, pki: true } };
    case 'UPDATE_RELEASE':
      return {
        features: { upgrades: true },
        decide: ({ identity }) => ({
          upgrade: '2.0.0',
          configuration: { identity, 'plugin.choria.server.provision': 'false' },
        }),
      };
    case 'SHUTDOWN':
      return { decide: () => ({ shutdown: true, msg: 'it is retired' }) };
    default:
      return {};
  }
}

/** @returns the forms in which the fault comes at the step */
export function formsOf(step: FaultStep, fault: FaultName): readonly Form[] {
  if (fault === 'crash of the node') return ['AS IT IS', 'POWER CUT'];
  const isCall = step !== 'HELPER' && step !== 'CREDENTIALS';
  return fault === 'lost reply' && isCall ? ['AS IT IS', 'SILENCE'] : ['AS IT IS'];
}

/** Runs the cell, and some time more. @returns the world as it is then, and what the node met with */
export async function runCell(
  step: FaultStep,
  fault: FaultName,
  form: Form,
): Promise<{ readonly world: World; readonly met: Cell }> {
  const world = await World.open(siteFor(step));
  const node = world.addNode('n1.example.net');
  plan(world, node, step, fault, form);
  node.start();
  const isShutDown = () => node.phase === 'STOPPED';
  const isOver = () => isShutDown() || world.confirmed(node);
  await world.until(isOver, longestMs, `${cellName(step, fault)}: the end of the story`);
  await world.advance(afterwardsMs);
  const { runs } = world.story.of(node.identity);
  const met = {
    first: endOf(runs[0]),
    end: isShutDown() ? 'SHUT_DOWN' : 'CONFIRMED',
    runs: runs.length,
    commits: node.commits.length,
  } as const;
  return { world, met };
}

function endOf(run: RunStory | undefined): FirstOutcome {
  if (run?.outcome === undefined) return 'LOST';
  const { outcome, reason } = run;
  return outcome === 'FAILED' || outcome === 'UPGRADE_FAILED' ? `FAILED ${reason}` : outcome;
}

function plan(world: World, node: WorldNode, step: FaultStep, fault: FaultName, form: Form): void {
  if (step === 'CREDENTIALS' && fault === 'duplicate') {
    planStaleCredentials(world, node);
    return;
  }
  const door = doors[step];
  const who = door === 'Signing' ? '*' : node.identity;
  world.faults.at(who, door, 1, faultAtDoor(world, node, fault, form));
}

function faultAtDoor(world: World, node: WorldNode, fault: FaultName, form: Form): Fault {
  switch (fault) {
    case 'crash of the provisioner':
      return { kind: 'DO', when: 'DONE', act: () => world.crashProvisioner() };
    case 'crash of the node': {
      const options = form === 'POWER CUT' ? { kept: () => 0 } : {};
      return { kind: 'DO', when: 'DONE', act: () => node.crash(options) };
    }
    case 'crash of discovery':
      return { kind: 'DO', when: 'DONE', act: () => world.crashDiscovery() };
    case 'lost request':
      return { kind: 'LOSE_REQUEST' };
    case 'lost reply':
      return { kind: form === 'SILENCE' ? 'HANG_AFTER' : 'LOSE_REPLY' };
    case 'duplicate':
      return { kind: 'DUPLICATE' };
    case 'hang':
      return { kind: 'HANG' };
    case 'pause':
      return { kind: 'DO', when: 'ARRIVES', act: () => pauseForAWhile(world) };
    case 'reboot of the node':
      return { kind: 'DO', when: 'ANSWERED', act: () => node.reboot() };
  }
}

function pauseForAWhile(world: World): void {
  world.pause();
  world.clock.setTimer(pauseMs, () => world.resume());
}

/** What was signed is for a key that the node no longer has: a late copy of an earlier request had it make another. */
function planStaleCredentials(world: World, node: WorldNode): void {
  let again = async () => {};
  const keep = (repeat: () => Promise<void>) => {
    again = repeat;
  };
  world.faults.at(node.identity, 'GenerateEd25519Key', 1, { kind: 'REPEAT_LATER', keep });
  world.faults.at('*', 'Signing', 1, { kind: 'DO', when: 'ANSWERED', act: () => again() });
}
