// Probes over gRPC: one Identify on a channel of its own, which is closed at once.

import type { ChannelCredentials } from '@grpc/grpc-js';
import { type IdentifyResponse, NodeAgentServiceClient } from '../../../shared/gen/slipway/node/v1/node.js';
import { callUnary } from '../../../shared/grpc/call.js';
import { ipTarget, nodeChannelOptions } from '../../../shared/grpc/channel.js';
import { RpcError, statusName } from '../../../shared/grpc/errors.js';
import { parseBootId, parseIdentity } from '../../../shared/identity.js';
import type { ProbeResult, Prober } from './prober.js';

export interface GrpcProberOptions {
  readonly credentials: ChannelCredentials;
  readonly timeoutMs: number;
}

export class GrpcProber implements Prober {
  readonly #options: GrpcProberOptions;

  constructor(options: GrpcProberOptions) {
    this.#options = options;
  }

  async identify(address: string, signal: AbortSignal): Promise<ProbeResult> {
    const { credentials, timeoutMs } = this.#options;
    const client = new NodeAgentServiceClient(ipTarget(address), credentials, nodeChannelOptions);
    try {
      return resultOf(await callUnary(client.identify.bind(client), {}, { timeoutMs, signal }));
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      return { kind: 'SILENT', why: `${statusName(error.code)}: ${error.message}` };
    } finally {
      client.close();
    }
  }
}

function resultOf(response: IdentifyResponse): ProbeResult {
  const identity = parseIdentity(response.identity);
  const bootId = parseBootId(response.bootId);
  if (identity === undefined || bootId === undefined) {
    return { kind: 'SILENT', why: 'its answer names no identity or no boot' };
  }
  const { provisioning } = response;
  const version = response.version.slice(0, longestVersion);
  return { kind: 'ANSWERED', identity, bootId, provisioning, version, certificateSha256: '' };
}

/** As long as that of a report may be. */
const longestVersion = 128;
