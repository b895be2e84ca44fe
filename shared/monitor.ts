// The HTTP port for those who watch a service: is it alive, is it ready, what does it count. It serves nothing
// else and takes no input.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Logger } from './logger.js';
import type { Metrics } from './metrics/registry.js';
import { formatHostPort } from './net/addresses.js';
import { listenError } from './net/listen-error.js';

/** Whether a service does its job; `why` it does not, and what is wrong although it does, is told to people. */
export type Readiness =
  | { readonly ready: true; readonly but?: string | undefined }
  | { readonly ready: false; readonly why: string };

export interface MonitorOptions {
  readonly host: string;
  /** 0 takes any free port. That a setting of 0 means "off" is the caller's to know. */
  readonly port: number;
  readonly metrics: Metrics;
  readonly ready: () => Readiness;
  readonly log: Logger;
}

export interface Monitor {
  /** Host as given and port as bound. */
  readonly address: string;
  readonly port: number;
  /** Stops listening and cuts what is open. Never rejects; safe to call twice. */
  close(): Promise<void>;
}

interface Reply {
  readonly status: number;
  readonly text: string;
  readonly type?: string;
}

/**
 * Serves /livez (200 while the process runs), /readyz (200, or 503 and why) and /metrics.
 *
 * @throws ListenError where the address is taken, or is none of this machine
 */
export async function startMonitor(options: MonitorOptions): Promise<Monitor> {
  const { host, log } = options;
  const server = createServer({ requestTimeout: 10_000, headersTimeout: 10_000 }, (request, response) => {
    void replyTo(request, options)
      .catch((error: unknown): Reply => {
        log.error({ err: error, url: request.url }, 'the monitor port could not answer');
        return { status: 500, text: 'internal error' };
      })
      .then((reply) => send(response, reply));
  });
  const port = await listen(server, host, options.port);
  const address = formatHostPort(host, port);
  server.on('error', (error) => log.error({ err: error }, 'the monitor port has an error'));
  log.info({ address }, 'serving /livez, /readyz and /metrics');
  return { address, port, close: () => close(server) };
}

async function replyTo(request: IncomingMessage, { metrics, ready }: MonitorOptions): Promise<Reply> {
  if (request.method !== 'GET' && request.method !== 'HEAD') return { status: 404, text: 'not found' };
  switch (request.url?.replace(/\?.*$/s, '')) {
    case '/livez':
      return { status: 200, text: 'ok' };
    case '/readyz': {
      const readiness = ready();
      if (!readiness.ready) return { status: 503, text: readiness.why };
      return { status: 200, text: readiness.but === undefined ? 'ok' : `ok, but ${readiness.but}` };
    }
    case '/metrics':
      return { status: 200, text: await metrics.registry.metrics(), type: metrics.registry.contentType };
    default:
      return { status: 404, text: 'not found' };
  }
}

function send(response: ServerResponse, { status, text, type = 'text/plain; charset=utf-8' }: Reply): void {
  const body = text.endsWith('\n') ? text : `${text}\n`;
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(body) }).end(body);
}

function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(listenError(formatHostPort(host, port), error)));
    server.listen({ host, port }, () => {
      server.removeAllListeners('error');
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
