// How the last run of a host ended, in words, and what people can do about it: one line for each outcome.

import type { OutcomeKind } from '../../run/outcome.js';
import type { RunRecord } from '../past.js';
import { colon, helpOn, say } from './words.js';

export interface LastWords {
  readonly said: string;
  /** What to do; undefined where there is nothing. */
  readonly help?: string | undefined;
}

/** @returns nothing said where there was no run that has ended */
export function lastWords(run: RunRecord | undefined): LastWords {
  return run?.outcome === undefined ? { said: '' } : byOutcome[run.outcome](run);
}

const byOutcome: Readonly<Record<OutcomeKind, (run: RunRecord) => LastWords>> = {
  PROVISIONED: ({ confirmation }) => {
    switch (confirmation) {
      case 'CONFIRMED':
        return { said: 'It is provisioned and has come up' };
      case 'MISSED':
        return {
          said: 'It was configured and has not said in time that it came up',
          help: 'Look at the node’s log; where it is up, see that its agent reaches discovery',
        };
      case undefined:
        return { said: 'It is provisioned' };
    }
  },
  UPGRADED: ({ message }) => ({
    said: `It was upgraded ${message} and restarts; it is configured when it is back in provisioning mode`,
  }),
  SHUT_DOWN: ({ message }) => ({
    said: `The helper wanted it stopped${colon(message)}`,
    help: 'Nothing, unless it is wanted again: then start it, and have the helper answer otherwise',
  }),
  DEFERRED: (run) =>
    deferredByHelper(run)
      ? {
          said: `The helper asked to be asked later${colon(run.message)}`,
          help: 'See why the helper defers it',
        }
      : {
          said: `The node asked to be left${colon(run.message)}`,
          help: 'Where that lasts, look at the agent’s log',
        },
  FAILED: failed,
  UPGRADE_FAILED: failed,
  SKIPPED_STALE: () => ({
    said: 'Its turn came when it had not been sighted for twice the interval',
    help: 'See that the node runs and reports to discovery; where the queue is slow, raise workers',
  }),
  SUPERSEDED: ({ message }) => ({
    said: `Its last run was superseded${colon(message)}`,
    help: 'Where that repeats, see why the node keeps booting, or which other provisioner works on it',
  }),
  CANCELLED: ({ message }) => ({
    said: `Its last run was cancelled${colon(message)}; nothing is held against the node`,
  }),
};

function failed({ outcome, lastStep, reason, message }: RunRecord): LastWords {
  const how = outcome === 'UPGRADE_FAILED' ? 'did not get the node upgraded' : 'failed';
  const where = lastStep === undefined ? '' : ` at ${lastStep}`;
  return { said: say(`Its last run ${how}${where}: ${reason}${colon(message)}`), help: helpOn(reason) };
}

/** The helper's answer is the end of its step; a node asks at any other. */
export function deferredByHelper({ lastStep }: RunRecord): boolean {
  return lastStep === 'HELPER';
}
