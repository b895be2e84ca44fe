// Many who list at once do not keep a service from everything else: in each turn of the event loop there is time for
// some of them only.

import { credentials } from '@grpc/grpc-js';
import { expect, it, onTestFinished } from 'vitest';
import {
  type ProvisionerServiceOptions,
  provisionerService,
} from '../../services/provisioner/api/provisioner-service.js';
import { systemClock } from '../../shared/clock.js';
import { ProvisionerServiceClient } from '../../shared/gen/slipway/provisioner/v1/provisioner.js';
import { callUnary } from '../../shared/grpc/call.js';
import { startServer } from '../../shared/grpc/server.js';
import { silentLogger } from '../../shared/logger.js';

it('lists of hosts that are asked for at once are given one after the other', async () => {
  let now = 0;
  let turn = 0;
  const turns: number[] = [];
  const page = () => {
    if (turns.at(-1) === turn) throw new Error('two in one turn');
    turns.push(turn);
    setImmediate(() => (turn += 1));
    // Time enough for one.
    now += 10;
    return { hosts: [], more: false };
  };
  const service = provisionerService({
    overview: { accounts: { page } },
    log: silentLogger(),
    clock: { ...systemClock, monotonic: () => now },
  } as unknown as ProvisionerServiceOptions);
  const server = await startServer({ listen: '127.0.0.1:0', services: [service], log: silentLogger() });
  const client = new ProvisionerServiceClient(server.address, credentials.createInsecure());
  onTestFinished(async () => {
    client.close();
    await server.stop(0);
  });
  const request = { pageSize: 0, pageToken: '', states: [], identityPrefix: '' };
  const list = () => callUnary(client.listHosts.bind(client), request, { timeoutMs: 10_000 });
  await Promise.all(Array.from({ length: 20 }, list));
  expect(turns).toHaveLength(20);
});
