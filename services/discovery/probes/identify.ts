// Probes over gRPC: one Identify on a channel of its own, which is closed at once.

import type { ChannelCredentials } from '@grpc/grpc-js';
import type { Clock } from '../../../shared/clock.js';
import { type IdentifyResponse, NodeAgentServiceClient } from '../../../shared/gen/slipway/node/v1/node.js';
import { callUnary } from '../../../shared/grpc/call.js';
import { ipTarget, nodeChannelOptions } from '../../../shared/grpc/channel.js';
import {
  insecureNodeCredentials,
  learningNodeCredentials,
  pinnedNodeCredentials,
} from '../../../shared/grpc/credentials.js';
import { RpcError, statusName } from '../../../shared/grpc/errors.js';
import { plainFailure } from '../../../shared/grpc/plain-failure.js';
import { parseBootId, parseIdentity } from '../../../shared/identity.js';
import type { ProbeResult, Prober } from './prober.js';

export interface GrpcProberOptions {
  readonly clock: Clock;
  /** Whether agents of which nothing is known are asked without encryption; others never are. */
  readonly insecure: boolean;
  readonly timeoutMs: number;
}

/** As long as that of a report may be. */
const longestVersion = 128;

export class GrpcProber implements Prober {
  readonly #options: GrpcProberOptions;
  readonly #plain: ChannelCredentials;

  constructor(options: GrpcProberOptions) {
    this.#options = options;
    this.#plain = insecureNodeCredentials(options.clock);
  }

  async identify(
    address: string,
    certificateSha256: string | undefined,
    signal: AbortSignal,
  ): Promise<ProbeResult> {
    const { timeoutMs } = this.#options;
    let shown = certificateSha256 ?? '';
    const credentials = this.#credentials(certificateSha256, (hash) => {
      shown = hash;
    });
    if (credentials === undefined) return { kind: 'SILENT', why: noEncryption };
    const client = new NodeAgentServiceClient(ipTarget(address), credentials, nodeChannelOptions);
    try {
      const response = await callUnary(client.identify.bind(client), {}, { timeoutMs, signal });
      return resultOf(response, shown);
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      return { kind: 'SILENT', why: `${statusName(error.code)}: ${plainFailure(error.message)}` };
    } finally {
      client.close();
    }
  }

  /** @returns undefined where the agent may not be asked */
  #credentials(
    certificateSha256: string | undefined,
    learn: (hash: string) => void,
  ): ChannelCredentials | undefined {
    const { clock, insecure, timeoutMs } = this.#options;
    const options = { clock, handshakeMs: timeoutMs };
    if (certificateSha256) return pinnedNodeCredentials(certificateSha256, options);
    if (insecure) return this.#plain;
    return certificateSha256 === undefined ? learningNodeCredentials(learn, options) : undefined;
  }
}

const noEncryption = 'it has no certificate, and tls.mode is required';

function resultOf(response: IdentifyResponse, certificateSha256: string): ProbeResult {
  const identity = parseIdentity(response.identity);
  const bootId = parseBootId(response.bootId);
  if (identity === undefined || bootId === undefined) {
    return { kind: 'SILENT', why: 'its answer names no identity or no boot' };
  }
  const { provisioning } = response;
  // As in a report: what shows it need not be ready for control characters.
  const version = response.version.slice(0, longestVersion).replaceAll(/\p{Cc}/gu, '?');
  return { kind: 'ANSWERED', identity, bootId, provisioning, version, certificateSha256 };
}
