import { expect, test } from 'vitest';
import { cellName, cellText, faults, steps, table } from '../table.js';
import { formsOf, runCell } from './cell.js';

for (const step of steps) {
  for (const fault of faults) {
    const stated = table[step][fault];
    test(`${cellName(step, fault)}: ${cellText(stated)}; ${stated.end}`, async () => {
      for (const form of formsOf(step, fault)) {
        const { world, met } = await runCell(step, fault, form);
        expect(world.faults.unmet).toEqual([]);
        expect({ form, ...met }, world.told()).toEqual({ form, ...stated });
        expect(await world.problems(), world.told()).toEqual([]);
      }
    });
  }
}
