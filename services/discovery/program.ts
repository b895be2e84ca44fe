// Discovery as a service that runs in a process: how it is loaded, logs and starts.

import { runService } from '../../shared/process/run-service.js';
import { createApp } from './app.js';
import { type DiscoveryConfig, loadDiscoveryConfig } from './config.js';

/** Runs discovery until it is told to stop. */
export function runDiscovery(process: NodeJS.Process): Promise<void> {
  return runService<DiscoveryConfig>(
    {
      name: 'discovery',
      load: loadDiscoveryConfig,
      logging: ({ site, loglevel, logfile }) => ({ service: 'discovery', site, level: loglevel, logfile }),
      // Probes of targets and of incumbents; and nodes that wait at the gate, and that are connected (doors.ts).
      nofile: (config) => 9 * config.probe_concurrency + 4096 + 1024 + 256,
      start: (config, log) => createApp(config, log),
    },
    process,
  );
}
