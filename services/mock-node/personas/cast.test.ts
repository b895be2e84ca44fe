import { expect, test } from 'vitest';
import { type FaultedRpc, rpcOfWord } from '../faults/fault.js';
import { temporaryFiles } from '../state/files.js';
import { personasOf } from './assignment.js';
import { Cast } from './cast.js';
import type { PersonaName } from './persona.js';

/** A cast of one node. */
function only(name: PersonaName, random: () => number = Math.random): Cast {
  return new Cast(personasOf(1, { [name]: 1 }), random);
}

function delayOf(cast: Cast, rpc: FaultedRpc): number {
  const delays = cast.strike(0, rpc).map((effect) => (effect.kind === 'delay' ? effect.delayMs : Number.NaN));
  return delays.reduce((total, ms) => total + ms, 0);
}

test('slow nodes delay each call by 0.2 to 3 s, and Identify by no more than 1.5 s', () => {
  const [fastest, slowest, usual] = [only('slow', () => 0.9), only('slow', () => 0.1), only('slow')];
  for (const rpc of Object.values(rpcOfWord)) {
    expect(delayOf(fastest, rpc), rpc).toBe(200);
    expect(delayOf(slowest, rpc), rpc).toBe(rpc === 'Identify' ? 1_500 : 3_000);
  }
  const delays = Array.from({ length: 200 }, () => delayOf(usual, 'Restart'));
  expect(new Set(delays).size).toBeGreaterThan(4);
});

test('others are struck by what is ordered for all, and by their own lies', () => {
  expect(only('healthy').strike(0, 'Identify')).toEqual([]);
  expect(new Cast(undefined, Math.random).strike(0, 'Identify')).toEqual([]);
  const liars = new Cast(personasOf(8, { lying: 1 }), Math.random);
  const indices = Array.from({ length: 8 }, (_, index) => index);
  const struck = (rpc: FaultedRpc) =>
    indices.flatMap((index) => liars.strike(index, rpc).map(({ kind }) => kind));
  expect(struck('Identify')).toEqual(['wrong-identity']);
  expect(struck('GetInventory')).toEqual(['garbage']);
  expect(new Set(struck('Configure'))).toEqual(new Set(['wrong-digest']));
  expect(struck('GetRunStatus')).toEqual([]);
});

test('behaves as its persona has it', () => {
  expect(only('ageing').behaviourOf(0)).toMatchObject({ release: '0.0.1-old', upgradable: true });
  expect(only('flapping').behaviourOf(0)).toMatchObject({ crashesEveryMs: 5_000 });
  expect(only('healthy').behaviourOf(0).onDisk(temporaryFiles)).toBe(temporaryFiles);
  expect(only('dead').connectionsOf(0)).toBe('RESET');
  expect(only('flapping').connectionsOf(0)).toBe('SERVED');
});

test('counts the nodes of each persona, unless all are healthy anyway', () => {
  expect(new Cast(undefined, Math.random).counts).toBeUndefined();
  expect(new Cast(personasOf(10, { healthy: 6, cloned: 4 }), Math.random).counts).toMatchObject({
    healthy: 6,
    cloned: 4,
    dead: 0,
  });
});
