// Reports as the mock node makes them, each over a connection of its own, by node:tls and node:http2 alone: that takes half
// of what grpc-js takes. Machines have processors of their own; here thousands share those that discovery runs on.

import {
  type ClientHttp2Stream,
  connect as connectHttp2,
  constants,
  type IncomingHttpHeaders,
} from 'node:http2';
import { connect as connectPlain } from 'node:net';
import { connect as connectTls, createSecureContext, type SecureContext } from 'node:tls';
import { Metadata, status } from '@grpc/grpc-js';
import { reportRequest, type Speaker } from '../../../services/mock-node/reports/registry-client.js';
import type { Registry, Report } from '../../../services/mock-node/reports/report.js';
import { NodeRegistryServiceService } from '../../../shared/gen/slipway/discovery/v1/registry.js';
import { fromServiceError, RpcError } from '../../../shared/grpc/errors.js';
import { parseHostPort } from '../../../shared/net/addresses.js';
import { fromDuration } from '../../../shared/wire/time.js';

/** As the mock node has it: milliseconds. */
const timeoutMs = 5_000;

const { path, requestSerialize, responseDeserialize } = NodeRegistryServiceService.report;

export class LeanRegistry {
  readonly #host: string;
  readonly #port: number;
  readonly #secureContext: SecureContext | undefined;

  /**
   * @param address host:port of discovery's listener for nodes
   * @param caPem of discovery's CA; undefined where nothing is encrypted
   */
  constructor(address: string, caPem: string | undefined) {
    const { host, port } = parseHostPort(address);
    this.#host = host;
    this.#port = port;
    this.#secureContext = caPem === undefined ? undefined : createSecureContext({ ca: caPem });
  }

  /** @returns takes the reports of one boot */
  as(speaker: Speaker): Registry {
    return { report: (report, signal) => this.#report(report, speaker, signal) };
  }

  #report(report: Report, speaker: Speaker, signal: AbortSignal): Promise<number> {
    return new Promise((resolve, reject) => {
      let connected = false;
      const session = connectHttp2(`http://${this.#host}:${this.#port}`, {
        createConnection: () => this.#connect(),
      });
      const end = (settle: () => void) => {
        clearTimeout(timer);
        signal.removeEventListener('abort', aborted);
        session.destroy();
        settle();
      };
      const fail = (code: status, message: string) =>
        end(() => reject(new RpcError(code, message, { neverConnected: !connected })));
      const aborted = () => end(() => reject(signal.reason));
      const timer = setTimeout(() => fail(status.DEADLINE_EXCEEDED, 'no answer in time'), timeoutMs);
      signal.addEventListener('abort', aborted, { once: true });
      session.on('connect', () => {
        connected = true;
      });
      session.on('error', ({ message }) => fail(status.UNAVAILABLE, message));
      session.on('close', () => fail(status.UNAVAILABLE, 'the connection was closed'));
      const call = session.request({
        [constants.HTTP2_HEADER_METHOD]: 'POST',
        [constants.HTTP2_HEADER_PATH]: path,
        [constants.HTTP2_HEADER_CONTENT_TYPE]: 'application/grpc',
        [constants.HTTP2_HEADER_TE]: 'trailers',
        ...(speaker.token && { authorization: `Bearer ${speaker.token.reveal()}` }),
      });
      call.on('error', ({ message }) => fail(status.UNAVAILABLE, message));
      answerOf(call, (code, message, headers) => {
        if (code === status.OK) end(() => resolve(fromDuration(responseDeserialize(message).nextReportIn)));
        else end(() => reject(refusal(code, headers)));
      });
      call.end(framed(requestSerialize(reportRequest(report, speaker))));
    });
  }

  #connect() {
    const to = { host: this.#host, port: this.#port };
    if (this.#secureContext === undefined) return connectPlain(to);
    return connectTls({
      ...to,
      secureContext: this.#secureContext,
      ALPNProtocols: ['h2'],
      checkServerIdentity: () => undefined,
    });
  }
}

/** Tells the code and the message once both are there; a code may come with the first headers or with the last. */
function answerOf(
  call: ClientHttp2Stream,
  told: (code: number, message: Buffer, headers: IncomingHttpHeaders) => void,
): void {
  const parts: Buffer[] = [];
  call.on('data', (part: Buffer) => parts.push(part));
  const look = (headers: IncomingHttpHeaders) => {
    if (headers['grpc-status'] === undefined) return;
    told(Number(headers['grpc-status']), Buffer.concat(parts).subarray(prefixBytes), headers);
  };
  call.on('response', look);
  call.on('trailers', look);
}

/** Whether it is compressed, and its length. */
const prefixBytes = 5;

function framed(message: Buffer): Buffer {
  const prefix = Buffer.alloc(prefixBytes);
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
}

function refusal(code: number, headers: IncomingHttpHeaders): RpcError {
  const metadata = new Metadata();
  const details = headers['grpc-status-details-bin'];
  if (typeof details === 'string') metadata.set('grpc-status-details-bin', Buffer.from(details, 'base64'));
  const message = decodeURIComponent(String(headers['grpc-message'] ?? ''));
  return fromServiceError(Object.assign(new Error(message), { code, details: message, metadata }));
}
