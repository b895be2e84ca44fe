// THE table of faults: which step of a run meets which fault, and what becomes of the node. Data; the page docs/faults.md
// says the same to people who run fleets, and a test compares the two. matrix/ runs every cell.

import type { OutcomeKind } from '../../services/provisioner/run/outcome.js';

/** The steps of a run, in their order; SHUTDOWN in the place of the last ones. */
export const steps = [
  'IDENTIFY',
  'GET_JWT',
  'GENERATE_KEY',
  'GET_INVENTORY',
  'GENERATE_CSR',
  'HELPER',
  'CREDENTIALS',
  'UPDATE_RELEASE',
  'CONFIGURE',
  'RESTART',
  'SHUTDOWN',
] as const;

export type FaultStep = (typeof steps)[number];

/** What can go wrong at each of them; what each is, {@link meanings} says. */
export const faults = [
  'crash of the provisioner',
  'crash of the node',
  'crash of discovery',
  'lost request',
  'lost reply',
  'duplicate',
  'hang',
  'pause',
  'reboot of the node',
] as const;

export type FaultName = (typeof faults)[number];

/** `LOST`: the run is lost with its process and has no outcome. Failures have their reason. */
export type FirstOutcome = 'LOST' | Exclude<OutcomeKind, 'FAILED' | 'UPGRADE_FAILED'> | `FAILED ${string}`;

/** What becomes of a node whose first run meets the fault at the step. */
export interface Cell {
  /** How that run ends. */
  readonly first: FirstOutcome;
  /** What the node is in the end. */
  readonly end: 'CONFIRMED' | 'SHUT_DOWN';
  /** How many runs it has. */
  readonly runs: number;
  /** How many configurations it commits. */
  readonly commits: number;
}

/** What each fault is at a step that calls the node, in one sentence for people who run fleets. */
export const meanings: Readonly<Record<FaultName, string>> = {
  'crash of the provisioner':
    'the provisioner is killed when the node has done what the step asks and before the reply is there; it is back 2 seconds later and knows nothing',
  'crash of the node':
    'the process of the agent is killed, or the power of the machine cut, when the work is done and before the reply is out; the node boots again a second later, from what was on its disk',
  'crash of discovery':
    'discovery is killed while the call is under way; it is back 2 seconds later, with an empty registry',
  'lost request': 'the connection breaks before the node has the request: nothing is done',
  'lost reply':
    'the node does it, and the reply does not arrive: the connection breaks, or nothing is heard until the deadline',
  duplicate: 'the node gets the request twice and handles it twice; the second reply counts',
  hang: 'the node does nothing and does not answer until the deadline',
  pause: 'an operator pauses the provisioner while the call is under way, and resumes it 90 seconds later',
  'reboot of the node':
    'the node answers, and its machine is rebooted in order before the next step; it is back a second after it went down',
};

/** What a fault is at the two steps that call no node. Where nothing is said: the same, while the step goes on. */
export const otherMeanings: Readonly<
  Record<'HELPER' | 'CREDENTIALS', Readonly<Partial<Record<FaultName, string>>>>
> = {
  HELPER: {
    'lost request': 'the helper exits with code 1 and has read nothing',
    'lost reply': 'the helper exits with code 0 and prints nothing',
    duplicate: 'the helper prints its object twice',
    hang: 'the helper does not end: it is killed after `helper_timeout`',
  },
  CREDENTIALS: {
    'lost request': 'the signing files cannot be read; the next look at them is in order',
    'lost reply': 'the files are in order, and signing fails',
    duplicate:
      'a copy of an earlier request reaches the node late and has it make another key: what was signed is for the key before. The run starts over, and it is signed anew',
    hang: 'the disk with the signing files does not answer for two minutes',
  },
};

const confirmed = { end: 'CONFIRMED', commits: 1 } as const;

/** The run that meets the fault goes on and provisions the node. */
const goesOn: Cell = { ...confirmed, first: 'PROVISIONED', runs: 1 };

/** It ends so, and the next one provisions the node. */
function again(first: FirstOutcome): Cell {
  return { ...confirmed, first, runs: 2 };
}

const isShutDown: Cell = { first: 'SHUT_DOWN', end: 'SHUT_DOWN', runs: 1, commits: 0 };

/** Of a step before the point of no return whose call is tried again. */
const beforeCommit: Readonly<Record<FaultName, Cell>> = {
  'crash of the provisioner': again('LOST'),
  'crash of the node': again('SUPERSEDED'),
  'crash of discovery': goesOn,
  'lost request': goesOn,
  'lost reply': goesOn,
  duplicate: goesOn,
  hang: goesOn,
  pause: again('CANCELLED'),
  'reboot of the node': again('SUPERSEDED'),
};

/** The table. A cell that is missing does not compile. */
export const table: Readonly<Record<FaultStep, Readonly<Record<FaultName, Cell>>>> = {
  IDENTIFY: {
    ...beforeCommit,
    'crash of the node': again('FAILED UNREACHABLE'),
    'lost request': again('FAILED UNREACHABLE'),
    'lost reply': again('FAILED UNREACHABLE'),
    hang: again('FAILED UNREACHABLE'),
  },
  GET_JWT: beforeCommit,
  GENERATE_KEY: beforeCommit,
  GET_INVENTORY: beforeCommit,
  GENERATE_CSR: {
    ...beforeCommit,
    'crash of the node': again('FAILED RPC_FAILED'),
    'lost request': again('FAILED RPC_FAILED'),
    'lost reply': again('FAILED RPC_FAILED'),
    hang: again('FAILED RPC_FAILED'),
  },
  HELPER: {
    ...beforeCommit,
    'lost request': again('FAILED HELPER_EXIT'),
    'lost reply': again('FAILED HELPER_EMPTY'),
    duplicate: again('FAILED HELPER_INVALID'),
    hang: again('FAILED HELPER_TIMEOUT'),
  },
  CREDENTIALS: {
    ...beforeCommit,
    'lost reply': again('FAILED SIGNING_FAILED'),
  },
  UPDATE_RELEASE: {
    'crash of the provisioner': again('LOST'),
    'crash of the node': again('UPGRADED'),
    'crash of discovery': again('UPGRADED'),
    'lost request': again('UPGRADED'),
    'lost reply': again('UPGRADED'),
    duplicate: again('UPGRADED'),
    hang: again('UPGRADED'),
    pause: again('UPGRADED'),
    'reboot of the node': again('UPGRADED'),
  },
  CONFIGURE: {
    ...beforeCommit,
    // The run after it makes the node another key, which withdraws what was committed for the one before.
    'crash of the provisioner': { ...again('LOST'), commits: 2 },
    // What was committed is what the node boots with.
    'crash of the node': { ...confirmed, first: 'SUPERSEDED', runs: 1 },
    pause: goesOn,
    'reboot of the node': { ...confirmed, first: 'SUPERSEDED', runs: 1 },
  },
  RESTART: {
    ...beforeCommit,
    'crash of the provisioner': { ...confirmed, first: 'LOST', runs: 1 },
    'crash of the node': goesOn,
    pause: goesOn,
    'reboot of the node': goesOn,
  },
  SHUTDOWN: {
    'crash of the provisioner': { ...isShutDown, first: 'LOST' },
    'crash of the node': { ...isShutDown, first: 'SUPERSEDED', runs: 2 },
    'crash of discovery': isShutDown,
    'lost request': isShutDown,
    'lost reply': isShutDown,
    duplicate: isShutDown,
    hang: isShutDown,
    pause: isShutDown,
    'reboot of the node': { ...isShutDown, runs: 2 },
  },
};

/** A cell in a few words: what is not said is one run, and one commit where the node is configured. */
export function cellText({ first, end, runs, commits }: Cell): string {
  const usualCommits = end === 'CONFIRMED' ? 1 : 0;
  return [
    first === 'LOST' ? 'lost' : first,
    ...(runs === 1 ? [] : [`${runs} runs`]),
    ...(commits === usualCommits ? [] : [`${commits} commits`]),
  ].join(', ');
}

/** The name of the test of a cell. */
export function cellName(step: FaultStep, fault: FaultName): string {
  return `${step} × ${fault}`;
}
