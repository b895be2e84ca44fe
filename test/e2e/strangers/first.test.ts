// Somebody with a token of the fleet takes the name of a node that is not there yet. What he can do is what a token
// is for: be configured under a name of his choice. What he cannot is to keep it a secret, or to stay without an agent.

import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { freePorts } from '../../../cli/launch/ports.js';
import { openCompactToken, publicKeyOf } from '../compact-tokens.js';
import { untilConfirmed } from '../confirmed.js';
import { launchNode } from '../lone-node.js';
import { NodeFiles } from '../node-files.js';
import { prepareStack, testHelper } from '../workspace.js';
import { introduction, obedient, startAgent } from './agents.js';
import { linesOf, untilLine, untilRunEnded } from './log.js';
import { fleetToken, newSigner, Onlooker, registryAt, say } from './reports.js';
import { decode } from './wire.js';

const identity = 'late.example.net';

test('who takes the name of a node that is not there is named when it comes, and loses it when he goes', async () => {
  const { node: port } = await freePorts(['node']);
  const stack = await prepareStack({
    nodes: 1,
    tls: 'required',
    helper: testHelper('stamped.sh'),
    discovery: { interval: '2s', report_interval: '1s', probe_timeout: '10s' },
    provisioner: { interval: '2s', identify_timeout: '20s' },
  });
  await stack.start('discovery');
  await stack.start('provisioner');
  const [bootId, signer, token] = [randomUUID(), await newSigner(), fleetToken(stack)];
  const place = { host: '127.0.0.66' };
  const agent = await startAgent(place, signer, obedient(introduction(identity, bootId), token));
  const discovery = `127.0.0.1:${stack.ports.nodes}`;
  const registry = registryAt(stack, discovery);
  const [host = '', agentPort = ''] = agent.address.split(':');
  const voice = { registry, identity, host, port: Number(agentPort), bootId, signer, token };
  await say(voice, 'STARTUP');
  expect(await untilRunEnded(stack, identity)).toMatchObject({ outcome: 'PROVISIONED' });
  const configure = agent.calls.find(({ path }) => path.endsWith('/Configure'));
  const { server_jwt } = decode('slipway.node.v1.ConfigureRequest', configure?.request ?? Buffer.of());
  expect(openCompactToken(String(server_jwt)).claims.identity).toBe(identity);

  const onlooker = new Onlooker(stack);
  await launchNode(stack, { identity, port, discovery });
  await onlooker.untilConflict(identity, agent.address, `127.0.0.1:${port}`);
  expect(linesOf(stack.logFile('discovery'))).toContainEqual(
    expect.objectContaining({
      level: 'warn',
      identity,
      address: agent.address,
      newcomer: `127.0.0.1:${port}`,
    }),
  );
  const conflict = await untilLine(stack.logFile('provisioner'), ({ newcomer_address }) => {
    return newcomer_address === `127.0.0.1:${port}`;
  });
  expect(conflict).toMatchObject({ level: 'warn', identity, address: agent.address });

  // He may say what he likes: without an agent that answers for him he is nobody.
  agent.stop();
  await untilConfirmed(stack, 1, 60_000);
  const files = new NodeFiles(stack, identity);
  expect(openCompactToken(files.read('server.jwt')).claims).toMatchObject({
    identity,
    public_key: publicKeyOf(files.read('server.seed')),
  });
});
