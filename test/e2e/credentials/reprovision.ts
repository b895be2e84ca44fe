// Puts configured nodes back into provisioning mode, as an operator has it done.

import { readFileSync } from 'node:fs';
import type { Stack } from '../../../cli/launch/stack.js';
import { loopbackHost } from '../../../services/mock-node/swarm/names.js';
import { NodeAgentServiceClient } from '../../../shared/gen/slipway/node/v1/node.js';
import { callUnary } from '../../../shared/grpc/call.js';
import { nodeChannelOptions } from '../../../shared/grpc/channel.js';
import { learningNodeCredentials } from '../../../shared/grpc/credentials.js';
import { writeNodeMetadata } from '../../../shared/grpc/node-metadata.js';
import { newRunId } from '../../../shared/identity.js';
import { proof } from '../../../shared/trust/proof.js';

const limits = { timeoutMs: 20_000 };

/**
 * Asks one node of an encrypted stack to be provisioned anew.
 *
 * @param index of the node in its swarm, from 0
 * @throws RpcError where it refuses
 */
export async function reprovision(stack: Stack, index: number): Promise<void> {
  if (stack.trust === undefined) throw new Error('the stack is not encrypted');
  let certificateSha256 = '';
  const credentials = learningNodeCredentials((hash) => {
    certificateSha256 = hash;
  });
  const target = `ipv4:${loopbackHost(index)}:${stack.ports.swarm}`;
  const client = new NodeAgentServiceClient(target, credentials, nodeChannelOptions);
  try {
    const { identity, bootId, challenge } = await callUnary(client.identify.bind(client), {}, limits);
    const runId = newRunId();
    const secret = readFileSync(stack.trust.secret, 'utf8');
    const metadata = writeNodeMetadata({
      proof: proof({ secret, identity, runId, challenge, certificateSha256 }),
      identity,
      boot: bootId,
      site: 'demo',
      provisioner: 'end-to-end-test',
      run: runId,
      fence: BigInt(Date.now()),
    });
    await callUnary(client.reprovision.bind(client), {}, { ...limits, metadata });
  } finally {
    client.close();
  }
}
