// What operators are told of a host on which a run worked when its provisioner was killed.

import { expect, onTestFinished, test } from 'vitest';
import type { Stack } from '../../cli/launch/stack.js';
import { until } from '../../cli/launch/until.js';
import { FakeNodes } from '../fakes/fake-nodes.js';
import { slipway } from '../fakes/fake-terminal.js';
import { announce } from './announce.js';
import { prepareStack, testHelper } from './workspace.js';

test('after a kill the host is told of, with the run that was broken off', async () => {
  const stack = await prepareStack({ nodes: 1, helper: testHelper('stamped.sh') });
  const fakes = await FakeNodes.start();
  onTestFinished(() => fakes.stop());
  const node = fakes.add('slow.example.net');
  node.delays.set('Configure', new Promise(() => {}));
  await stack.start('discovery');
  await stack.start('provisioner');
  await announce(stack, [{ identity: node.identity, bootId: node.bootId, address: fakes.addressOf(node) }]);
  await node.called('Configure');
  const isKept = async () => (await ask(stack, 'events', '--host', node.identity)).includes('HELPER');
  await until(isKept, { what: 'what it did is on the disk', timeoutMs: 10_000 });
  await stack.end('provisioner', 'SIGKILL');
  await stack.end('discovery');

  // Without discovery nobody sights the node again.
  await stack.start('provisioner', { untilReady: false });
  const isBack = async () => (await ask(stack, 'status')) !== '';
  await until(isBack, { what: 'the provisioner is back', timeoutMs: 10_000 });
  const why = await ask(stack, 'why', node.identity);
  expect(why).toContain(`${node.identity} is not known at present.\n`);
  expect(why).toContain('It has not been sighted since the provisioner was restarted during its last run.');
  expect(why).toMatch(
    /Its runs before the provisioner was started .+:\n +\S+ +broken off, last step HELPER\n/,
  );

  await stack.start('discovery');
  node.delays.clear();
  await announce(stack, [{ identity: node.identity, bootId: node.bootId, address: fakes.addressOf(node) }]);
  const isDone = async () => (await ask(stack, 'why', node.identity)).includes('PROVISIONED');
  await until(isDone, { what: 'it is provisioned', timeoutMs: 60_000 });
  const after = await ask(stack, 'why', node.identity);
  expect(after).toMatch(
    /Its runs, newest first:\n +\S+ +PROVISIONED[\s\S]+Its runs before .+:\n.+ broken off/,
  );
});

/** @returns what a command prints; empty where the provisioner does not answer */
async function ask(stack: Stack, ...words: readonly string[]): Promise<string> {
  const whom = ['--insecure', '--provisioner', `127.0.0.1:${stack.ports.provisioner}`];
  return (await slipway([...words, ...whom])).out;
}
