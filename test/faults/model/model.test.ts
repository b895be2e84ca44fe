// Whatever happens to a site, in whatever order: what must hold holds at any time, and in the end every node is
// configured. docs/decisions/checks.md says how to have this go on for longer, and how to see a failure again.

import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { action, settings } from './action.js';
import { mustEndWell } from './ending.js';
import { Trial } from './trial.js';

const runs = Number(process.env.FC_RUNS ?? 100);
const seconds = Number(process.env.FC_SECONDS ?? 25);

const rejections: unknown[] = [];
const onRejection = (reason: unknown) => rejections.push(reason);

beforeAll(() => void process.on('unhandledRejection', onRejection));
afterAll(() => void process.off('unhandledRejection', onRejection));

test(
  'a site keeps its promises whatever happens in whatever order',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        settings,
        fc.array(action, { maxLength: 40, size: 'max' }),
        async (setting, actions) => {
          rejections.length = 0;
          const trial = await Trial.open(setting);
          for (const each of actions) await trial.take(each);
          await mustEndWell(trial);
          expect(rejections).toEqual([]);
        },
      ),
      {
        numRuns: runs,
        // What is found by then is told, as short as it has become.
        interruptAfterTimeLimit: seconds * 1_000,
        ...(process.env.FC_SEED !== undefined && { seed: Number(process.env.FC_SEED) }),
        ...(process.env.FC_PATH !== undefined && { path: process.env.FC_PATH }),
      },
    );
  },
  (seconds + 30) * 1_000,
);
