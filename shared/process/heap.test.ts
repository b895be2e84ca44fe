import { expect, it } from 'vitest';
import { runScript } from '../../test/fakes/script.js';

/** Keeps 80 MB in use, which are replaced over and over, as hosts and events are; prints how large the heap was at the most. */
const work = `
  async function work() {
    const kept = 80_000;
    const ring = [];
    let largest = 0;
    for (let index = 0; index < 8 * kept; index++) {
      ring[index % kept] = { name: 'node-' + index, numbers: new Array(100).fill(index) };
      if (index % 5_000 !== 0) continue;
      largest = Math.max(largest, process.memoryUsage().heapUsed);
      await new Promise(setImmediate);
    }
    console.log(largest);
    process.exit(0);
  }
`;

const asService = `
  ${work}
  import { runService } from '${new URL('./run-service.ts', import.meta.url).href}';
  await runService({
    name: 'test',
    load: () => ({ config: {}, warnings: [] }),
    logging: () => ({ service: 'test', site: 'lab', level: 'error', logfile: '' }),
    start: work,
  }, process);
`;

async function largestHeap(script: string): Promise<number> {
  return Number((await runScript(script).end()).stdout);
}

it('a service lets its heap grow much less beyond what is in use than a program does by default', {
  timeout: 60_000,
}, async () => {
  const [service, usual] = await Promise.all([largestHeap(asService), largestHeap(`${work}; await work();`)]);
  expect(service).toBeGreaterThan(0);
  expect(service).toBeLessThan(0.8 * usual);
});
