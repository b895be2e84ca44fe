// The sequence: which steps a run takes, in which order (design, section 6). The order never changes; gates
// only leave steps out.

import type { StepName } from '../events/event.js';
import type { RunContext, RunFeatures, StepResult } from './run-context.js';
import { askHelper } from './steps/ask-helper.js';
import { configure } from './steps/configure.js';
import { generateCsr } from './steps/generate-csr.js';
import { generateKey } from './steps/generate-key.js';
import { getInventory } from './steps/get-inventory.js';
import { getJwt } from './steps/get-jwt.js';
import { identify } from './steps/identify.js';
import { makeCredentials } from './steps/make-credentials.js';
import { restart } from './steps/restart.js';
import { shutDown } from './steps/shut-down.js';
import { updateRelease } from './steps/update-release.js';

export interface Step {
  readonly name: StepName;
  /** Where it says false the step is left out. */
  readonly gate: (run: RunContext) => boolean;
  readonly tries: number;
  readonly take: (run: RunContext, tries: number) => Promise<StepResult>;
}

const always = () => true;

function where(feature: keyof RunFeatures): Step['gate'] {
  return (run) => run.settings.features[feature];
}

function wantsRelease({ reply, settings }: RunContext): boolean {
  return settings.features.upgrades && reply?.upgrade !== undefined && reply.upgrade !== '';
}

/** Something is to be signed or encrypted for the node. */
function needsCredentials({ reply, settings }: RunContext): boolean {
  return settings.features.ed25519 || reply?.key !== undefined;
}

export const sequence: readonly Step[] = [
  { name: 'IDENTIFY', gate: always, tries: 1, take: identify },
  { name: 'GET_JWT', gate: where('jwt'), tries: 3, take: getJwt },
  { name: 'GENERATE_KEY', gate: where('ed25519'), tries: 5, take: generateKey },
  { name: 'GET_INVENTORY', gate: always, tries: 5, take: getInventory },
  { name: 'GENERATE_CSR', gate: where('pki'), tries: 1, take: generateCsr },
  { name: 'HELPER', gate: always, tries: 1, take: askHelper },
  { name: 'SHUTDOWN', gate: (run) => run.reply?.shutdown ?? false, tries: 3, take: shutDown },
  { name: 'CREDENTIALS', gate: needsCredentials, tries: 1, take: makeCredentials },
  { name: 'UPDATE_RELEASE', gate: wantsRelease, tries: 3, take: updateRelease },
  { name: 'CONFIGURE', gate: always, tries: 5, take: configure },
  { name: 'RESTART', gate: always, tries: 3, take: restart },
];
