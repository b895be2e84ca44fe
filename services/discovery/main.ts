// The discovery service's process: the only place of it that touches `process`.

import { exitOnSignals } from '../../shared/process/early-signals.js';

exitOnSignals(process);
const { runDiscovery } = await import('./program.js');
await runDiscovery(process);
