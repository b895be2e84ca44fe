// The provisioner as a service that runs in a process: how it is loaded, logs and starts.

import { runService } from '../../shared/process/run-service.js';
import { createApp } from './app.js';
import { loadProvisionerConfig, type ProvisionerConfig } from './config.js';

/** Runs the provisioner until it is told to stop. */
export function runProvisioner(process: NodeJS.Process): Promise<void> {
  return runService<ProvisionerConfig>(
    {
      name: 'provisioner',
      load: loadProvisionerConfig,
      logging: ({ site, loglevel, logfile }) => ({ service: 'provisioner', site, level: loglevel, logfile }),
      nofile: ({ workers }) => 4 * workers,
      start: (config, log) => createApp(config, log, { env: process.env }),
    },
    process,
  );
}
