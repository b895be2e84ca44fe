// The provisioner's process: the only place of it that touches `process`.

import { exitOnSignals } from '../../shared/process/early-signals.js';

exitOnSignals(process);
const { runProvisioner } = await import('./program.js');
await runProvisioner(process);
