// The fault matrix with real processes: discovery, provisioner and nodes on loopback, encrypted, where each node meets a
// fault at its step. What becomes of it the table states; matrix/ has every cell under a fake clock.

import { describe, expect, test } from 'vitest';
import { cellName, faults, steps } from '../table.js';
import { runCalls } from './calls.js';
import { type Ending, endingsOf, remainsOf } from './ending.js';
import { cellOf, type Form, forms, realCellText, stepsOf } from './forms.js';
import { runPrograms } from './programs.js';
import type { Scene } from './scene.js';

interface Column {
  readonly endings: readonly Ending[];
  readonly remains: readonly string[];
}

for (const form of forms) {
  const { fault, name } = form;
  const title = name === '' ? fault : `${fault}, ${name}`;
  describe(title, () => {
    const column = once(() => run(form));

    for (const step of stepsOf(form)) {
      const cell = cellOf(form, step);
      const { orFirst, ...stated } = cell;
      const first = [stated.first, ...(orFirst === undefined ? [] : [orFirst])];
      const detail = name === '' ? '' : `${name}: `;
      test(`${cellName(step, fault)}: ${detail}${realCellText(cell)}; ${stated.end}`, async () => {
        const ending = (await column()).endings.find((each) => each.step === step);
        expect(ending?.met, ending?.told).toEqual({ ...stated, first: expect.toBeOneOf(first) });
        expect(ending?.problems, ending?.told).toEqual([]);
      });
    }

    test('nothing is left over, and what is counted is what was told', async () => {
      expect((await column()).remains).toEqual([]);
    });
  });
}

test('each fault meets each step', () => {
  const met = new Set(forms.flatMap((form) => stepsOf(form).map((step) => cellName(step, form.fault))));
  expect(met.size).toBe(steps.length * faults.length);
});

/** The first test of a column runs all of it; the others look at what came of it. */
async function run(form: Form): Promise<Column> {
  const runs: Promise<Scene[]>[] = [runCalls(form)];
  if (form.program !== undefined) runs.push(runPrograms(form, form.program).then((scene) => [scene]));
  const scenes = (await Promise.all(runs)).flat();
  return {
    endings: (await Promise.all(scenes.map(endingsOf))).flat(),
    remains: (await Promise.all(scenes.map(remainsOf))).flat(),
  };
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
