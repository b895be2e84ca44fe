// The provisioner as a process.

import { runService } from '../../shared/process/run-service.js';
import { createApp } from './app.js';
import { loadProvisionerConfig, type ProvisionerConfig } from './config.js';

await runService<ProvisionerConfig>(
  {
    name: 'provisioner',
    load: loadProvisionerConfig,
    logging: ({ site, loglevel, logfile }) => ({ service: 'provisioner', site, level: loglevel, logfile }),
    nofile: ({ workers }) => 4 * workers,
    start: (config, log) => createApp(config, log, { env: process.env }),
  },
  process,
);
