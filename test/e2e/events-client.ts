// A stack's event service, as a subscriber calls it.

import { credentials } from '@grpc/grpc-js';
import { onTestFinished } from 'vitest';
import type { Stack } from '../../cli/launch/stack.js';
import { ProvisioningEventServiceClient } from '../../shared/gen/slipway/provisioner/v1/events.js';
import { serviceChannelOptions } from '../../shared/grpc/channel.js';

/** A client of a stack without TLS, until the test is over. */
export function eventsOf(stack: Stack): ProvisioningEventServiceClient {
  const address = `127.0.0.1:${stack.ports.provisioner}`;
  const client = new ProvisioningEventServiceClient(
    address,
    credentials.createInsecure(),
    serviceChannelOptions,
  );
  onTestFinished(() => client.close());
  return client;
}
