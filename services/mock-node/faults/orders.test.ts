import { expect, test } from 'vitest';
import { loggerTo } from '../../../shared/logger.js';
import { FakeClock } from '../../../test/fakes/fake-clock.js';
import { identity } from '../../../test/fakes/node-events.js';
import { openOrders } from './orders.js';
import { parseFaults } from './parse.js';

/** Orders of flags for these nodes, and what their log says. */
async function ordered(list: string, names: readonly string[]) {
  const warnings: string[] = [];
  const write = (line: string) => {
    const { level, msg } = JSON.parse(line);
    if (level === 'warn') warnings.push(msg);
  };
  const { faults } = await openOrders({
    faults: parseFaults(list).faults,
    file: undefined,
    identities: names.map(identity),
    clock: new FakeClock(),
    random: () => 0,
    log: loggerTo({ write }, { service: 'mock-node', site: 'default', level: 'info' }),
    onStrike: () => {},
  });
  return { faults, warnings };
}

test('a fault for a name that no node has is warned about at the start', async () => {
  const { warnings } = await ordered('web-*/jwt:hang,*.net/key:hang,csr:hang', ['db-1.net', 'db-2.net']);
  expect(warnings).toEqual([
    expect.stringMatching(/^faults are in force/),
    'faults that strike nobody: web-*/jwt:hang: no node here has such a name, and the first of 2 nodes here is db-1.net',
  ]);
});

test('so is one that is ordered later', async () => {
  const { faults, warnings } = await ordered('', ['db-1.net']);
  faults.set(parseFaults('db-1/restart:hang').faults);
  expect(warnings).toEqual([
    'faults that strike nobody: db-1/restart:hang: no node here has such a name; this one is db-1.net',
  ]);
});

test('a fault that has somebody to strike is not', async () => {
  const { faults, warnings } = await ordered('', ['db-1.net']);
  faults.set(parseFaults('db-*/restart:hang,*:delay:1s').faults);
  expect(warnings).toEqual([]);
});
