// The site's helper as the service holds it, however its processes are run.

import type { Helper } from './helper.js';
import type { HelperTrials } from './trial.js';

export interface SiteHelper extends Helper, HelperTrials {
  /** Callers that wait for a slot. */
  readonly waiting: number;
  /** Kills every helper that runs and resolves when nothing is left of them. */
  close(): Promise<void>;
}
