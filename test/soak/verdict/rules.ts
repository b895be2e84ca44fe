// Which figures are to stay as they are, and what each may vary by.

import { rememberedMiB } from '../plan.js';
import type { Tolerance } from './flatness.js';

export interface Rule extends Tolerance {
  readonly figure: string;
}

const tenth = 0.1;

/** @returns the rules of a run of this length, with so many new nodes a second */
export function rulesOf(plan: { readonly durationMs: number; readonly rate: number }): Rule[] {
  const remembered = rememberedMiB(plan);
  // A run lasts some seconds, and each has a socket to its node.
  const inFlight = 10 + 2 * plan.rate;
  return [
    ...ofProcess('discovery', 0, inFlight),
    ...ofProcess('provisioner', remembered, inFlight),
    rises('provisioner.eventLogMiB', tenth, 8),
    rises('provisioner.processes', 0, 2 + plan.rate),
    rises('discovery.nodes', tenth, 10),
    rises('provisioner.hosts', tenth, 10),
    rises('provisioner.queue', tenth, 10),
    rises('provisioner.eventsLost', 0, 0),
    rises('subscribers.lagP99Ms', 0.5, 100),
    rises('subscribers.behind', tenth, 100),
    falls('provisioner.subscribers', 0, 0),
    // All would be flat where nothing happens any more.
    falls('confirmedPerSecond', tenth, 0.1 * plan.rate),
  ];
}

function ofProcess(service: string, rememberedMib: number, inFlight: number): Rule[] {
  return [
    rises(`${service}.anonMiB`, tenth, 16 + rememberedMib),
    rises(`${service}.heapMiB`, tenth, 16 + rememberedMib),
    rises(`${service}.fileMiB`, tenth, 16),
    rises(`${service}.sockets`, tenth, inFlight),
    rises(`${service}.files`, tenth, inFlight),
    rises(`${service}.timers`, tenth, inFlight),
    rises(`${service}.loopLagP99Ms`, 0.5, 20),
  ];
}

function rises(figure: string, share: number, plus: number): Rule {
  return { figure, worse: 'RISES', share, plus };
}

function falls(figure: string, share: number, plus: number): Rule {
  return { figure, worse: 'FALLS', share, plus };
}
