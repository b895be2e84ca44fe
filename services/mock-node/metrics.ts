// What a swarm counts, for the demo, for tests and for health checks.

import type { StatusName } from '../../shared/grpc/errors.js';
import { anyValue } from '../../shared/metrics/labels.js';
import { Metrics } from '../../shared/metrics/registry.js';
import { type ServedRpc, servedRpcs } from './api/service.js';
import { type EffectKind, effectKinds } from './faults/fault.js';
import type { Phase } from './swarm/node.js';
import { phases } from './swarm/swarm.js';

export interface MockNodeMetrics {
  readonly metrics: Metrics;
  countConfiguration(): void;
  countCall(rpc: ServedRpc, code: StatusName): void;
  countFault(fault: EffectKind): void;
}

/** @param counts gives how many nodes are in each phase now */
export function createMetrics(counts: () => Readonly<Record<Phase, number>>): MockNodeMetrics {
  const metrics = new Metrics({ site: 'default', service: 'mock-node' });
  metrics.gauge({
    name: 'nodes',
    help: 'Nodes by what they do now; stopping: a stop or restart is pending, down: between two boots.',
    labels: { mode: phases.map((phase) => phase.toLowerCase()) },
    read: (set) => {
      const now = counts();
      for (const phase of phases) set({ mode: phase.toLowerCase() }, now[phase]);
    },
  });
  const configurations = metrics.counter({
    name: 'configurations_total',
    help: 'Configurations committed; a repeat of one that waits already is not counted.',
  });
  const calls = metrics.counter({
    name: 'calls_total',
    help: 'Calls that nodes answered, by status code.',
    labels: { rpc: servedRpcs, code: anyValue },
  });
  const faults = metrics.counter({
    name: 'faults_total',
    help: 'Faults that struck a call, as they were ordered.',
    labels: { fault: effectKinds },
  });
  return {
    metrics,
    countConfiguration: () => configurations.inc(),
    countCall: (rpc, code) => calls.inc({ rpc, code }),
    countFault: (fault) => faults.inc({ fault }),
  };
}
