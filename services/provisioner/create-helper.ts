// Puts together the site's helper: in which way its program is run, and within which bounds.

import type { ProvisionerConfig } from './config.js';
import {
  createHelper as createSiteHelper,
  type SiteHelper,
  type SiteHelperOptions,
} from './helper/site-helper.js';

export type HelperParts = Pick<SiteHelperOptions, 'env' | 'clock' | 'log' | 'observe'>;

export function createHelper(config: ProvisionerConfig, parts: HelperParts): SiteHelper {
  return createSiteHelper({
    command: config.helper,
    mode: config.helper_mode,
    timeoutMs: config.helper_timeout,
    concurrency: config.helper_concurrency,
    ...parts,
  });
}
