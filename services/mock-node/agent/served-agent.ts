// What callers reach of an agent. It need not be the agent itself: some nodes lie.

import type { Agent } from './agent.js';

export type ServedAgent = Omit<Agent, 'stop'>;
