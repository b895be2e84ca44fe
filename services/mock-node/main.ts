// The mock node's process: the only place of it that touches `process`.

import { exitOnSignals } from '../../shared/process/early-signals.js';

exitOnSignals(process);
const { runMockNode } = await import('./program.js');
await runMockNode(process);
