// Loads a configuration as its service does when it starts, and opens the files that it names: certificates, keys,
// tokens, secrets.

import { readFile } from 'node:fs/promises';
import { systemClock } from '../../shared/clock.js';
import type { Problem } from '../../shared/config/config-error.js';
import type { ConfigSource } from '../../shared/config/load.js';
import { type Logger, loggerTo } from '../../shared/logger.js';

/** Those that have a configuration; the mock node has flags. */
export const checkedServices = ['discovery', 'provisioner'] as const;

export type CheckedService = (typeof checkedServices)[number];

export interface Checked {
  readonly problems: readonly Problem[];
  readonly warnings: readonly string[];
  /** As the service prints it; empty where there is no problem. */
  readonly message: string;
}

/**
 * @param warn is told what the service would warn about when it starts
 * @throws ConfigError with every problem
 */
export async function checkService(
  service: CheckedService,
  source: ConfigSource,
  warn: (warning: string) => void,
): Promise<void> {
  const surroundings = { clock: systemClock, log: warningsTo(service, warn) };
  switch (service) {
    case 'discovery': {
      const { loadDiscoveryConfig } = await import('../../services/discovery/config.js');
      const { config, warnings } = loadDiscoveryConfig(source);
      for (const warning of warnings) warn(warning);
      const { openFiles } = await import('../../services/discovery/files.js');
      const readText = (path: string) => readFile(path, 'utf8');
      (await openFiles(config, { ...surroundings, readText })).close();
      return;
    }
    case 'provisioner': {
      const { loadProvisionerConfig } = await import('../../services/provisioner/config.js');
      const { config, warnings } = loadProvisionerConfig(source);
      for (const warning of warnings) warn(warning);
      const { openTrust } = await import('../../services/provisioner/trust.js');
      (await openTrust(config, surroundings)).close();
      const { startProblem } = await import('../../services/provisioner/helper/command.js');
      const problem = await startProblem(config.helper[0], source.env.PATH);
      if (problem !== undefined) warn(`${problem}; nodes fail until it can be started`);
    }
  }
}

/** A log that has only its warnings heard. */
function warningsTo(service: string, warn: (warning: string) => void): Logger {
  const write = (line: string) => {
    const { msg } = JSON.parse(line) as { readonly msg?: unknown };
    if (typeof msg === 'string') warn(msg);
  };
  return loggerTo({ write }, { service, site: '', level: 'warn' });
}
