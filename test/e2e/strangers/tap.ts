// Between nodes and discovery, with discovery's own certificate: what nodes report is passed on, kept, and held back
// where a test asks for it. It stands for whatever way a stranger may come by a node's signed reports.

import { expect } from 'vitest';
import type { Stack } from '../../../cli/launch/stack.js';
import { type Envelope, registryAt, trusted } from './reports.js';
import { type HeardCall, StrangersServer } from './servers.js';
import { decode } from './wire.js';

const path = '/slipway.discovery.v1.NodeRegistryService/Report';

export class ReportTap {
  readonly #heard = new Map<string, Envelope[]>();
  /** Told of the next report of a node before it is passed on. */
  readonly #interceptors = new Map<string, (envelope: Envelope) => Promise<void>>();

  /** @param port where the nodes report to */
  static async start(stack: Stack, port: number): Promise<ReportTap> {
    const tap = new ReportTap();
    const registry = registryAt(stack, `127.0.0.1:${stack.ports.nodes}`);
    const certificate = {
      certificatePem: `${trusted(stack, 'discovery.pem')}${trusted(stack, 'ca.pem')}`,
      keyPem: String(trusted(stack, 'discovery-key.pem')),
    };
    await StrangersServer.start({ host: '127.0.0.1', port }, certificate, [path], async (call) => {
      await tap.#keep(call);
      const { authorization = '' } = call.metadata;
      return registry.send(path, call.request, { authorization });
    });
    return tap;
  }

  /** Resolves with what a node reported, once it has reported so often. */
  async untilHeard(identity: string, count: number): Promise<readonly Envelope[]> {
    const heard = () => this.#heard.get(identity) ?? [];
    await expect.poll(() => heard().length, { timeout: 30_000 }).toBeGreaterThanOrEqual(count);
    return heard().slice(-count);
  }

  /** Does something with the next report of a node, before it arrives. */
  async beforeNext(identity: string, then: (envelope: Envelope) => Promise<void>): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#interceptors.set(identity, async (envelope) => {
        this.#interceptors.delete(identity);
        await then(envelope).then(resolve, reject);
      });
    });
  }

  async #keep({ request }: HeardCall): Promise<void> {
    const envelope = decode('slipway.discovery.v1.ReportRequest', request) as unknown as Envelope;
    const { identity } = decode('slipway.discovery.v1.NodeReport', envelope.report);
    const name = String(identity);
    await this.#interceptors.get(name)?.(envelope);
    this.#heard.set(name, [...(this.#heard.get(name) ?? []), envelope]);
  }
}
