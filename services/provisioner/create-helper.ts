// Puts together the site's helper: in which way its program is run, and within which bounds.

import type { ProvisionerConfig } from './config.js';
import { createExecHelper, type ExecHelperOptions } from './helper/exec-helper.js';
import type { SiteHelper } from './helper/site-helper.js';

export type HelperParts = Pick<ExecHelperOptions, 'env' | 'clock' | 'log' | 'observe'>;

export function createHelper(config: ProvisionerConfig, parts: HelperParts): SiteHelper {
  return createExecHelper({
    command: config.helper,
    timeoutMs: config.helper_timeout,
    concurrency: config.helper_concurrency,
    ...parts,
  });
}
