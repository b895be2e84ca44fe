// The run: discovery and provisioner, those who follow its events, nodes that come and go, and somebody who looks.

import { setMaxListeners } from 'node:events';
import { join } from 'node:path';
import { ServiceEndedError } from '../../cli/launch/service-process.js';
import { Stack } from '../../cli/launch/stack.js';
import { systemClock } from '../../shared/clock.js';
import { helperSettings } from '../bench/fleet/helper.js';
import { arrivals } from './fleet/arrivals.js';
import { Rack } from './fleet/rack.js';
import { Subscribers } from './fleet/subscribers.js';
import type { Plan } from './plan.js';
import { look } from './samples/look.js';
import type { Sample } from './samples/sample.js';
import { sampling } from './samples/sampling.js';

export interface SoakPlaces {
  /** Configuration, logs and the event log. */
  readonly directory: string;
  /** What the nodes have on their disks. */
  readonly memory: string;
  /** Where samples are written to. */
  readonly file: string;
}

/**
 * Runs for as long as is planned. What it has started then still runs, and is its caller's to end.
 *
 * @param taken to be told of each sample
 * @param signal ends it early
 * @throws ServiceEndedError where anything ended by itself; the signal's reason
 */
export async function soak(
  plan: Plan,
  { directory, memory, file }: SoakPlaces,
  taken: (sample: Sample) => void,
  signal: AbortSignal,
): Promise<void> {
  const stack = await Stack.prepare({
    directory,
    nodes: plan.nodesPerRack,
    ...helperSettings('exec-sh'),
    tls: 'required',
    ...settingsOf(plan),
  });
  const { pid: discovery } = await stack.start('discovery', { signal });
  const { pid: provisioner } = await stack.start('provisioner', { signal });
  const subscribers = await Subscribers.of(stack);
  const over = new AbortController();
  const until = AbortSignal.any([signal, over.signal]);
  // Each rack waits for its time, from the beginning on.
  setMaxListeners(0, until);
  const open = (number: number) =>
    new Rack({
      ...{ stack, number, nodes: plan.nodesPerRack, spanMs: plan.spanMs },
      directory: join(memory, `rack-${number}`),
    });
  const coming = arrivals(plan, open, systemClock, until);
  const looking = sampling(
    {
      ...plan,
      look: () => {
        if (stack.lost !== undefined) throw new ServiceEndedError(stack.lost);
        return look(stack, { discovery, provisioner });
      },
      noted: () => subscribers.noted(),
      file,
      clock: systemClock,
    },
    taken,
    until,
  );
  try {
    // Racks come for longer than anybody looks: where they are done first, they have failed.
    await Promise.race([looking, coming.then(() => looking)]);
  } finally {
    over.abort();
    await Promise.allSettled([coming, looking]);
  }
}

function settingsOf(plan: Plan) {
  const ms = (value: number) => `${value}ms`;
  // Hours of lines about each node would fill the disk.
  const both = { loglevel: 'error', interval: ms(plan.intervalMs) };
  return {
    discovery: {
      ...both,
      event_ring: plan.eventRing,
      provisioned_retention: ms(plan.provisionedRetentionMs),
    },
    provisioner: {
      ...both,
      ...helperSettings('exec-sh'),
      hold: ms(plan.holdMs),
      backoff_max: ms(plan.backoffMaxMs),
      // One process plays many nodes, and may keep some of them waiting for its core.
      identify_timeout: '10s',
      events: { max_count: plan.maxEvents },
    },
  };
}
