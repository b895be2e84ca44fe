// The faults of the table as real processes can meet them: each comes in one form or several, and where a form has its
// own end of the story this says so. How the nodes are struck is the matter of calls.ts and programs.ts.

import {
  type Cell,
  cellText,
  type FaultName,
  type FaultStep,
  type FirstOutcome,
  steps,
  table,
} from '../table.js';

/** What the test does once every node is held at its step. */
export type Strike =
  | 'KILL_PROVISIONER'
  | 'KILL_DISCOVERY'
  | 'KILL_NODES'
  /** They are back when nobody tries to reach them any more. */
  | 'KILL_NODES_FOR_LONG'
  /** The nodes' process is told to end, and starts again. */
  | 'REBOOT_NODES'
  | 'PAUSE';

/** What becomes of a node among real processes. */
export interface RealCell extends Cell {
  /** The run may as well end so: two processes race, and either may be first. */
  readonly orFirst?: FirstOutcome;
}

/** FAULT: what the helper or the files do by themselves. */
export type ProgramFault = Strike | 'FAULT';

export interface Form {
  readonly fault: FaultName;
  /** What distinguishes it from the other forms of the fault; empty where there is one. */
  readonly name: string;
  /** What befalls the call of the node, in the words of the mock node's --fault. */
  readonly call: string;
  /** At calls, once they are under way; undefined: the fault of the call is all. */
  readonly strike?: Strike;
  /** At the helper and the signing of credentials; undefined: calls alone have this form. */
  readonly program?: ProgramFault;
  /** Where its cell is not that of the table, and why. */
  readonly differs?: Readonly<Partial<Record<FaultStep, RealCell>>>;
}

/** How long calls are under way that the node answers in the end: milliseconds. */
export const delayMs = 6_000;

export const delay = `delay:${delayMs}ms`;

const confirmed = { end: 'CONFIRMED', commits: 1 } as const;

/** Whatever is first: the next try, which meets another boot, or that boot's own report of what it came up with. */
const bootsConfigured: RealCell = { ...confirmed, first: 'SUPERSEDED', orFirst: 'PROVISIONED', runs: 1 };

/** In the order of the table's columns. */
export const forms: readonly Form[] = [
  {
    fault: 'crash of the provisioner',
    name: '',
    call: 'hang-after',
    strike: 'KILL_PROVISIONER',
    program: 'KILL_PROVISIONER',
  },
  {
    fault: 'crash of the provisioner',
    name: 'before the node has done anything',
    call: 'hang',
    strike: 'KILL_PROVISIONER',
    differs: {
      // The upgrade is still to be done.
      UPDATE_RELEASE: { ...confirmed, first: 'LOST', runs: 3 },
      // Nothing was committed by the run that was lost.
      CONFIGURE: { ...confirmed, first: 'LOST', runs: 2 },
      // What the run that was lost committed nobody restarted into: the next run makes the node another key.
      RESTART: { ...confirmed, first: 'LOST', runs: 2, commits: 2 },
      SHUTDOWN: { first: 'LOST', end: 'SHUT_DOWN', runs: 2, commits: 0 },
    },
  },
  {
    fault: 'crash of the node',
    name: '',
    call: 'crash-after',
    program: 'KILL_NODES',
    differs: { CONFIGURE: bootsConfigured },
  },
  {
    fault: 'crash of the node',
    name: 'before it has done anything',
    call: 'crash-before',
    differs: {
      // The boot that answers then has the old release: it is another upgrade that brings the new one.
      UPDATE_RELEASE: { ...confirmed, first: 'UPGRADED', runs: 3 },
      CONFIGURE: { ...confirmed, first: 'SUPERSEDED', runs: 2 },
    },
  },
  {
    fault: 'crash of the node',
    name: 'it is away for longer than anybody tries',
    call: 'hang-after',
    strike: 'KILL_NODES_FOR_LONG',
    differs: {
      GET_JWT: { ...confirmed, first: 'FAILED RPC_FAILED', runs: 2 },
      GENERATE_KEY: { ...confirmed, first: 'FAILED RPC_FAILED', runs: 2 },
      GET_INVENTORY: { ...confirmed, first: 'FAILED RPC_FAILED', runs: 2 },
      // It comes up with what was committed, after its run has failed.
      CONFIGURE: { ...confirmed, first: 'FAILED RPC_FAILED', runs: 1 },
      // Nobody could know that it would boot again.
      SHUTDOWN: { first: 'SHUT_DOWN', end: 'SHUT_DOWN', runs: 2, commits: 0 },
    },
  },
  {
    fault: 'crash of discovery',
    name: '',
    call: delay,
    strike: 'KILL_DISCOVERY',
    program: 'KILL_DISCOVERY',
  },
  { fault: 'lost request', name: '', call: 'drop-request', program: 'FAULT' },
  { fault: 'lost reply', name: '', call: 'drop-reply', program: 'FAULT' },
  { fault: 'lost reply', name: 'nothing is heard until the deadline', call: 'hang-after' },
  { fault: 'duplicate', name: '', call: 'duplicate', program: 'FAULT' },
  { fault: 'hang', name: '', call: 'hang', program: 'FAULT' },
  { fault: 'pause', name: '', call: delay, strike: 'PAUSE', program: 'PAUSE' },
  {
    fault: 'reboot of the node',
    name: '',
    call: 'reboot',
    program: 'REBOOT_NODES',
    differs: { CONFIGURE: bootsConfigured },
  },
];

/** @returns how often nodes are sighted that report nothing new: one that is down must not be sighted before it is back */
export function intervalFor({ fault }: Form): string {
  return fault === 'crash of the node' || fault === 'reboot of the node' ? '6h' : '3s';
}

/** @returns the steps at which the fault comes in this form */
export function stepsOf({ program }: Form): readonly FaultStep[] {
  return steps.filter((step) => program !== undefined || (step !== 'HELPER' && step !== 'CREDENTIALS'));
}

/** @returns what becomes of a node whose first run meets the fault at the step in this form */
export function cellOf(form: Form, step: FaultStep): RealCell {
  return form.differs?.[step] ?? table[step][form.fault];
}

/** A cell in a few words. */
export function realCellText({ orFirst, ...cell }: RealCell): string {
  const [first = '', ...others] = cellText(cell).split(', ');
  return [orFirst === undefined ? first : `${first} or ${orFirst}`, ...others].join(', ');
}
