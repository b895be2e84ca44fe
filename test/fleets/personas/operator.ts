// Somebody who pauses a stack's provisioner and lets it go on, with an operator's certificate.

import { onTestFinished } from 'vitest';
import type { Stack } from '../../../cli/launch/stack.js';
import { systemClock } from '../../../shared/clock.js';
import { ProvisionerServiceClient } from '../../../shared/gen/slipway/provisioner/v1/provisioner.js';
import { callUnary } from '../../../shared/grpc/call.js';
import { serviceChannelOptions } from '../../../shared/grpc/channel.js';
import { silentLogger } from '../../../shared/logger.js';
import { serviceCredentials } from '../../../shared/tls/channel-credentials.js';
import { TlsFiles } from '../../../shared/tls/tls-files.js';
import { RotatingTrust } from '../../e2e/rotating-trust.js';

/** A provisioner on a busy machine takes its time. */
const timeoutMs = 30_000;

export class Operator {
  readonly #stack: Stack;
  readonly #files: TlsFiles;

  private constructor(stack: Stack, files: TlsFiles) {
    this.#stack = stack;
    this.#files = files;
  }

  /** @param stack one that trusts somebody */
  static async of(stack: Stack): Promise<Operator> {
    const paths = new RotatingTrust(stack).tlsPaths('operator');
    const files = await TlsFiles.open(paths, { clock: systemClock, log: silentLogger() });
    onTestFinished(() => files.close());
    return new Operator(stack, files);
  }

  /** @throws RpcError */
  async pause(): Promise<void> {
    await this.#call((client) =>
      callUnary(client.pause.bind(client), { message: 'the long run' }, { timeoutMs }),
    );
  }

  /** @throws RpcError */
  async resume(): Promise<void> {
    await this.#call((client) =>
      callUnary(client.resume.bind(client), { message: 'it goes on' }, { timeoutMs }),
    );
  }

  /** Dialled anew for each call: the provisioner may have been killed since the last one. */
  async #call<T>(act: (client: ProvisionerServiceClient) => Promise<T>): Promise<T> {
    const client = new ProvisionerServiceClient(
      `127.0.0.1:${this.#stack.ports.provisioner}`,
      serviceCredentials(this.#files, 'provisioner'),
      serviceChannelOptions,
    );
    try {
      return await act(client);
    } finally {
      client.close();
    }
  }
}
