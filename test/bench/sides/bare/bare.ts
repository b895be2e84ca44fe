// One round of bare: a client, a registry and, where the helper is a process per node, what starts it, in processes of
// their own; and the swarm.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Stack } from '../../../../cli/launch/stack.js';
import { until } from '../../../../cli/launch/until.js';
import { createServerTokenIssuer } from '../../../../shared/trust/server-token.js';
import { configurationOf, modeOf } from '../../fleet/helper.js';
import { dispose, prepareStack } from '../../fleet/stack.js';
import { startSwarm } from '../../fleet/swarm.js';
import { Costs, descendantsOf } from '../../measure/processes.js';
import { Program } from '../../measure/program.js';
import type { FleetOptions } from '../../options.js';
import type { ClientPlan, Done } from '../../programs/bare-client.js';
import { figuresOf, patienceMs, type SideFigures } from '../side.js';
import { sampleIdentity } from './calls.js';

/** @param directory for certificates and logs; removed unless it is to be kept */
export async function runBare(directory: string, fleet: FleetOptions, keep: boolean): Promise<SideFigures> {
  const stack = await prepareStack(directory, fleet);
  const client = new Program('bench/programs/bare-client.ts', [JSON.stringify(await planOf(stack, fleet))]);
  try {
    const [, registry = '', helper = ''] = (await client.line()).split(' ');
    const helpers = helper === '' ? [] : [Number(helper)];
    const swarm = await startSwarm(stack, fleet);
    const costs = new Costs({
      registry: () => [Number(registry)],
      bare: () => [client.pid],
      helper: () => helpers.flatMap((pid) => [pid, ...descendantsOf(pid)]),
      swarm: () => [swarm.pid],
    });
    try {
      const done = await finished(client, fleet.nodes);
      const { firstDial: first, lastRestart, lastInService, latenciesMs } = done;
      const measured = { latenciesMs, costs: costs.now, swarm: await swarm.metrics() };
      return figuresOf(fleet.nodes, { first, lastRestart, lastInService }, measured);
    } finally {
      await swarm.kill();
    }
  } finally {
    client.kill();
    dispose(stack, keep);
  }
}

async function finished(client: Program, nodes: number): Promise<Done> {
  let done: Done | undefined;
  let failed: unknown;
  client.json<Done>().then(
    (result) => (done = result),
    (error: unknown) => (failed = error),
  );
  const look = () => {
    if (failed !== undefined) throw failed;
    return done;
  };
  return await until(look, {
    what: `${nodes} nodes by grpc-js alone`,
    timeoutMs: patienceMs(nodes),
    everyMs: 100,
  });
}

async function planOf({ ports, trust }: Stack, fleet: FleetOptions): Promise<ClientPlan> {
  const { nodes, workers, tls, features, helper } = fleet;
  const inFolder = (name: string) => join(trust?.certificates ?? '', name);
  return {
    nodes,
    workers,
    registry: {
      port: ports.nodes,
      tls: tls
        ? { ca: inFolder('ca.pem'), cert: inFolder('discovery.pem'), key: inFolder('discovery-key.pem') }
        : undefined,
    },
    calls: {
      secretFile: trust?.secret,
      features,
      configurationJson: await configurationOf(helper),
      sampleToken: trust && features.ed25519 ? await sampleToken(readFileSync(trust.signingKey, 'utf8')) : '',
    },
    helper: modeOf(helper) === 'exec' ? helper : undefined,
  };
}

/** As the provisioner mints them, once for all nodes. */
function sampleToken(signingKey: string): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  const claims = {
    identity: sampleIdentity,
    publicKey: '00'.repeat(32),
    ou: 'choria',
    collectives: ['mcollective', 'site'],
    expiresAt: now + 365 * 86_400,
  };
  return createServerTokenIssuer(signingKey, undefined, now).mint(claims, now);
}
