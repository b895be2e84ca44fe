// Reports over gRPC. Nodes of one process share a channel, which is open while one of them reports and closes a
// while after: alone, a node closes its channel after each report (design, section 4).

import { type ChannelCredentials, Metadata } from '@grpc/grpc-js';
import type { Clock, Timer } from '../../../shared/clock.js';
import {
  NodeRegistryServiceClient,
  NodeReport,
  type ReportRequest,
  ReportType,
} from '../../../shared/gen/slipway/discovery/v1/registry.js';
import { callUnary } from '../../../shared/grpc/call.js';
import { nodeChannelOptions } from '../../../shared/grpc/channel.js';
import { RpcError } from '../../../shared/grpc/errors.js';
import type { Secret } from '../../../shared/secret.js';
import { signReport } from '../../../shared/trust/report-envelope.js';
import { fromDuration, toTimestamp } from '../../../shared/wire/time.js';
import type { BootCertificate } from '../boot/boot-certificate.js';
import { Slots } from '../slots.js';
import type { Registry, Report } from './report.js';

/** As whom a boot reports. */
export interface Speaker {
  /** Signs the reports; undefined without TLS. */
  readonly certificate: BootCertificate | undefined;
  /** The bearer. */
  readonly token: Secret | undefined;
}

export interface RegistryClientOptions {
  /** host:port of discovery's listener for nodes. */
  readonly address: string;
  readonly credentials: ChannelCredentials;
  /** How long the channel stays open for the next report: milliseconds. */
  readonly lingerMs: number;
  readonly clock: Clock;
  /** Told of each report that did not get through. */
  readonly failed: (error: RpcError) => void;
}

const timeoutMs = 5_000;

/** How many reports are under way at once: a fleet that starts at once does not time itself out. */
const atOnce = 128;

const channelOptions = {
  ...nodeChannelOptions,
  'grpc.initial_reconnect_backoff_ms': 250,
  'grpc.max_reconnect_backoff_ms': 2_000,
};

export class RegistryClient {
  readonly #options: RegistryClientOptions;
  readonly #slots = new Slots(atOnce);
  #client: NodeRegistryServiceClient | undefined;
  #users = 0;
  #closing: Timer | undefined;

  constructor(options: RegistryClientOptions) {
    this.#options = options;
  }

  /** @returns takes the reports of one boot */
  as(speaker: Speaker): Registry {
    const metadata = new Metadata();
    if (speaker.token !== undefined) metadata.set('authorization', `Bearer ${speaker.token.reveal()}`);
    return {
      report: (report, signal) =>
        this.#slots.use(() => this.#send(reportRequest(report, speaker), metadata, signal), signal),
    };
  }

  async #send(request: ReportRequest, metadata: Metadata, signal: AbortSignal): Promise<number> {
    const client = this.#open();
    try {
      const options = { timeoutMs, metadata, signal };
      const response = await callUnary(client.report.bind(client), request, options);
      return fromDuration(response.nextReportIn);
    } catch (error) {
      if (error instanceof RpcError) this.#options.failed(error);
      throw error;
    } finally {
      this.#leave();
    }
  }

  /** Closes the channel. A later report opens another. */
  close(): void {
    this.#closing?.cancel();
    this.#client?.close();
    this.#client = undefined;
  }

  #open(): NodeRegistryServiceClient {
    this.#users++;
    this.#closing?.cancel();
    this.#client ??= new NodeRegistryServiceClient(
      this.#options.address,
      this.#options.credentials,
      channelOptions,
    );
    return this.#client;
  }

  #leave(): void {
    if (--this.#users > 0) return;
    const { lingerMs, clock } = this.#options;
    if (lingerMs === 0) this.close();
    else this.#closing = clock.setTimer(lingerMs, () => this.close());
  }
}

/** @returns the report with what it is signed with, as it is sent */
export function reportRequest(of: Report, { certificate }: Speaker): ReportRequest {
  const report = encode(of);
  if (certificate === undefined) return { report, certificate: Buffer.of(), signature: Buffer.of() };
  return { report, certificate: certificate.der, signature: signReport(report, certificate.key) };
}

function encode(report: Report): Buffer {
  const message: NodeReport = {
    eventId: report.eventId,
    type: ReportType[report.type],
    identity: report.identity,
    component: 'provision_mode_server',
    version: report.version,
    time: toTimestamp(report.time),
    bootId: report.bootId,
    sequence: BigInt(report.sequence),
    port: report.port,
    host: report.host,
    labels: {},
    runId: report.provisioned?.runId ?? '',
    configurationDigest: Buffer.from(report.provisioned?.configurationDigest ?? '', 'hex'),
  };
  return Buffer.from(NodeReport.encode(message).finish());
}
