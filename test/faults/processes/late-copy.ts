// A request of the provisioner that reaches its node once more, late: made by the test as the provisioner made it.

import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { manifestPath } from '../../../services/mock-node/state/layout.js';
import { loopbackHost } from '../../../services/mock-node/swarm/names.js';
import { NodeAgentServiceClient } from '../../../shared/gen/slipway/node/v1/node.js';
import { callUnary } from '../../../shared/grpc/call.js';
import { nodeChannelOptions } from '../../../shared/grpc/channel.js';
import { learningNodeCredentials } from '../../../shared/grpc/credentials.js';
import { writeNodeMetadata } from '../../../shared/grpc/node-metadata.js';
import { proof } from '../../../shared/trust/proof.js';
import type { FaultStep } from '../table.js';
import type { Scene } from './scene.js';

const limits = { timeoutMs: 20_000 };

/** Whose run works on the node, as the node has written it. */
const schema = z.object({ hold: z.object({ site: z.string(), run_id: z.string(), fence: z.string() }) });

/** Has the node make another key, in the run that works on it. @throws RpcError where it refuses */
export async function keyRequestAgain(scene: Scene, step: FaultStep): Promise<void> {
  const { hold } = schema.parse(JSON.parse(readFileSync(manifestPath(scene.directory(step)), 'utf8')));
  let certificateSha256 = '';
  const credentials = learningNodeCredentials((hash) => {
    certificateSha256 = hash;
  });
  const target = `ipv4:${loopbackHost(scene.steps.indexOf(step))}:${scene.stack.ports.swarm}`;
  const client = new NodeAgentServiceClient(target, credentials, nodeChannelOptions);
  try {
    const { identity, bootId, challenge } = await callUnary(client.identify.bind(client), {}, limits);
    const secret = readFileSync(scene.stack.trust?.secret ?? '', 'utf8').trim();
    const runId = hold.run_id;
    const metadata = writeNodeMetadata({
      proof: proof({ secret, identity, runId, challenge, certificateSha256 }),
      identity,
      boot: bootId,
      site: hold.site,
      provisioner: 'a late copy',
      run: runId,
      fence: BigInt(hold.fence),
    });
    const nonce = randomBytes(32);
    await callUnary(client.generateEd25519Key.bind(client), { nonce }, { ...limits, metadata });
  } finally {
    client.close();
  }
}
