// What is to be true of each machine when all has come to rest. What is missing may still come; what is wrong is wrong
// for ever.

import type { LieKind } from '../../../services/mock-node/personas/lie.js';
import type { History, Told } from './history.js';
import { isClone, isToSettle, type Machine } from './machine.js';

/** What gives a liar away (docs/configuration.md, "Personas"), where tokens and keys are asked for, and no CSR. */
const reasonOfLie: Readonly<Record<LieKind, string>> = {
  'wrong-signature': 'KEY_PROOF_INVALID',
  'short-key': 'REPLY_INVALID',
  garbage: 'REPLY_INVALID',
  'wrong-digest': 'REPLY_INVALID',
  'wrong-identity': 'IDENTITY_MISMATCH',
  'foreign-token': 'TOKEN_INVALID',
  'foreign-request': 'REPLY_INVALID',
  'no-restart': 'CONFIRMATION_MISSED',
};

/** @returns a line for each machine of which something is not told yet, or not done; empty where all is */
export function missingOf(machines: readonly Machine[], history: History): string[] {
  return machines.flatMap((machine) => {
    const missing = missingOn(machine, history.of(machine.identity), machines);
    return missing === '' ? [] : [`${machine.name}: ${missing}`];
  });
}

function missingOn(machine: Machine, told: Told, machines: readonly Machine[]): string {
  const { disk, persona } = machine;
  switch (persona.name) {
    case 'healthy':
    case 'slow':
    case 'flapping':
    case 'ageing':
      if (!disk.confirmed) return `is not up with its configuration: ${disk.status}, ${disk.stage}`;
      return told.confirmations.has(disk.runId) ? '' : `run ${disk.runId} is not confirmed`;
    case 'dead':
      return told.reasons.has('UNREACHABLE') ? '' : 'was never UNREACHABLE';
    case 'looping':
      return told.loops > 0 ? '' : 'is no PROVISION_LOOP';
    case 'lying': {
      const reason = reasonOfLie[persona.lie?.kind ?? 'garbage'];
      return told.reasons.has(reason) ? '' : `lies (${persona.kind}), and nobody has said ${reason}`;
    }
    case 'cloned': {
      const pair = machines.filter(({ identity }) => identity === machine.identity);
      if (!pair.some(({ disk: { confirmed } }) => confirmed)) return 'neither it nor its clone is up';
      const addresses = new Set(pair.map(({ address }) => address));
      const isNamed = told.conflicts.some(
        ({ address, newcomerAddress }) => addresses.has(address) && addresses.has(newcomerAddress),
      );
      return isNamed ? '' : 'no NODE_CONFLICT has named both addresses';
    }
  }
}

/** @returns a line for each thing that must not be, of one machine or one run */
export function wrongOf(machines: readonly Machine[], history: History): string[] {
  return [
    ...machines.flatMap((machine) =>
      wrongWith(machine, history.of(machine.identity)).map((what) => `${machine.name}: ${what}`),
    ),
    ...[...history.identities].flatMap((identity) =>
      wrongRuns(history.of(identity)).map((what) => `${identity}: ${what}`),
    ),
  ];
}

function wrongWith(machine: Machine, told: Told): string[] {
  const { disk, persona } = machine;
  const wrong: string[] = [];
  if (isToSettle(machine)) {
    wrong.push(...disk.problems);
    const confirmed = [...told.confirmations.keys()];
    if (confirmed.some((runId) => runId !== disk.runId)) {
      wrong.push(`confirmed for ${confirmed}, and came up with ${disk.runId}`);
    }
  } else if (!isClone(machine) && told.confirmations.size > 0) {
    wrong.push(`is ${persona.name}, and was confirmed`);
  } else if (!isClone(machine) && disk.confirmed) {
    wrong.push(`is ${persona.name}, and came up configured`);
  }
  if (persona.name === 'dead') {
    if (disk.configurations > 0) wrong.push('is dead, and was configured');
    const others = [...told.reasons.keys()].filter((reason) => reason !== 'UNREACHABLE');
    if (others.length > 0) wrong.push(`is dead, and its runs end with ${others}`);
  }
  if (persona.name !== 'looping' && persona.name !== 'lying' && told.loops > 0)
    wrong.push('is told as looping');
  if (persona.name !== 'cloned' && told.conflicts.length > 0) {
    wrong.push(`a conflict names it: ${JSON.stringify(told.conflicts[0])}`);
  }
  return wrong;
}

/** No run is confirmed twice in one life of the provisioner, and no two runs of one node go on at once. */
function wrongRuns({ confirmations, runs }: Told): string[] {
  const wrong: string[] = [];
  for (const [runId, lives] of confirmations) {
    if (new Set(lives).size < lives.length) wrong.push(`run ${runId} was confirmed twice in one life`);
  }
  const ordered = [...runs].sort((one, other) => one.startedAt - other.startedAt);
  for (const [at, { runId, startedAt }] of ordered.entries()) {
    const before = ordered[at - 1];
    if (before !== undefined && before.endedAt > startedAt) {
      wrong.push(`run ${runId} began while ${before.runId} went on`);
    }
  }
  return wrong;
}
