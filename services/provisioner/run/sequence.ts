// The sequence: which steps a run takes, in which order (design, section 6). The order never changes; gates
// only leave steps out.

import type { StepName } from '../events/event.js';
import type { RunContext, StepResult } from './run-context.js';
import { askHelper } from './steps/ask-helper.js';
import { configure } from './steps/configure.js';
import { getInventory } from './steps/get-inventory.js';
import { identify } from './steps/identify.js';
import { restart } from './steps/restart.js';
import { shutDown } from './steps/shut-down.js';

export interface Step {
  readonly name: StepName;
  /** Where it says false the step is left out. */
  readonly gate: (run: RunContext) => boolean;
  readonly tries: number;
  readonly take: (run: RunContext, tries: number) => Promise<StepResult>;
}

const always = () => true;

export const sequence: readonly Step[] = [
  { name: 'IDENTIFY', gate: always, tries: 1, take: identify },
  { name: 'GET_INVENTORY', gate: always, tries: 5, take: getInventory },
  { name: 'HELPER', gate: always, tries: 1, take: askHelper },
  { name: 'SHUTDOWN', gate: (run) => run.reply?.shutdown ?? false, tries: 3, take: shutDown },
  { name: 'CONFIGURE', gate: always, tries: 5, take: configure },
  { name: 'RESTART', gate: always, tries: 3, take: restart },
];
