import { expect, test } from 'vitest';
import type { Identity } from '../../../../shared/identity.js';
import { FakeHelper } from '../../../../test/fakes/fake-helper.js';
import type { HelperInput } from '../../helper/helper.js';
import { LastInputs } from './last-inputs.js';

function about(identity: string, factsJson = '{}'): HelperInput {
  return {
    identity: identity as Identity,
    inventory: {
      version: '',
      upgradable: false,
      agents: [],
      classes: [],
      collectives: [],
      mainCollective: '',
      dataPlugins: [],
      machinesJson: '[]',
      factsJson,
    },
  };
}

async function asked(inputs: LastInputs, ...questions: readonly HelperInput[]): Promise<string[]> {
  const helper = inputs.watching(new FakeHelper());
  for (const question of questions) await helper.ask(question, new AbortController().signal);
  return ['a', 'b', 'c'].flatMap((identity) => inputs.of(identity as Identity)?.inventory.factsJson ?? []);
}

test('the last question about each node is remembered', async () => {
  const questions = [about('a', '1'), about('b', '2'), about('a', '3')];
  expect(await asked(new LastInputs(), ...questions)).toEqual(['3', '2']);
});

test('the oldest are forgotten where there are too many', async () => {
  const inputs = new LastInputs({ entries: 2, size: 1_000_000 });
  expect(await asked(inputs, about('a', '1'), about('b', '2'), about('a', '3'), about('c', '4'))).toEqual([
    '3',
    '4',
  ]);
});

test('the oldest are forgotten where they are too large altogether', async () => {
  const inputs = new LastInputs({ entries: 10, size: 1_000 });
  const facts = 'x'.repeat(400);
  expect(await asked(inputs, about('a', facts), about('b', facts), about('c', '1'))).toEqual([facts, '1']);
  expect(await asked(inputs, about('b', 'y'.repeat(2_000)))).toEqual([]);
});
