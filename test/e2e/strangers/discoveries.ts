// Servers that stand where discovery should be, and record every byte that they can read of what is sent to them.

import { X509Certificate } from 'node:crypto';
import type { Socket } from 'node:net';
import { createServer } from 'node:tls';
import { onTestFinished } from 'vitest';
import type { Stack } from '../../../cli/launch/stack.js';
import { issueCertificate } from '../../../shared/trust/issue-certificate.js';
import { makeAuthority, makeCertificate, type TestCertificate } from '../../fakes/certificates.js';
import { trusted } from './reports.js';
import { listen } from './servers.js';

/** What it shows: its own certificate first, PEM. */
interface Shown {
  readonly chainPem: string;
  readonly keyPem: string;
  /** Nothing later than that. */
  readonly maxVersion?: 'TLSv1.2';
}

export class FalseDiscovery {
  /** Connections so far, and those over which a handshake was completed. */
  readonly seen = { connections: 0, handshakes: 0 };
  readonly #read: Buffer[] = [];
  readonly #port: number;

  private constructor(port: number) {
    this.#port = port;
  }

  /** Speaks TLS, and shows these certificates. */
  static async showing(port: number, { chainPem, keyPem, maxVersion }: Shown): Promise<FalseDiscovery> {
    const started = new FalseDiscovery(port);
    const options = { cert: chainPem, key: keyPem, ALPNProtocols: ['h2'], ...(maxVersion && { maxVersion }) };
    const server = createServer(options, (secured) => {
      started.seen.handshakes++;
      started.#record(secured);
    });
    server.on('tlsClientError', () => {});
    return started.#listen((socket) => server.emit('connection', socket));
  }

  /** Speaks HTTP/2 in the clear. */
  static plain(port: number): Promise<FalseDiscovery> {
    const started = new FalseDiscovery(port);
    const emptySettings = Buffer.from('000000040000000000', 'hex');
    return started.#listen((socket) => {
      started.#record(socket);
      socket.write(emptySettings);
    });
  }

  /** All that was sent to it, as far as it can read it. */
  get read(): Buffer {
    return Buffer.concat(this.#read);
  }

  async #listen(connected: (socket: Socket) => void): Promise<FalseDiscovery> {
    await listen({ host: '127.0.0.1', port: this.#port }, {}, (socket) => {
      this.seen.connections++;
      connected(socket);
    });
    return this;
  }

  #record(socket: Socket): void {
    socket.on('data', (bytes) => this.#read.push(bytes));
    socket.on('error', () => socket.destroy());
    onTestFinished(() => void socket.destroy());
  }
}

const dayMs = 86_400_000;
const asDiscovery = { uris: ['slipway:role:discovery'], dns: ['localhost'], ips: ['127.0.0.1'] };
const usages = ['serverAuth', 'clientAuth'] as const;

/** @returns the site's own certificate of that name, with its CA's */
export function ofSite(stack: Stack, name: string): Shown {
  return {
    chainPem: `${trusted(stack, `${name}.pem`)}${trusted(stack, 'ca.pem')}`,
    keyPem: String(trusted(stack, `${name}-key.pem`)),
  };
}

/** A certificate as good as discovery's, but of another CA. */
export async function ofAnotherCa(): Promise<Shown> {
  const authority = await makeAuthority({ name: 'another CA' });
  const own = await makeCertificate({ issuer: authority, usages, ...asDiscovery });
  return chain(own, authority.certificatePem);
}

/** One of a CA that has the name of the site's and nothing else of it; with the site's own CA certificate beside it. */
export async function ofFalseCa(stack: Stack): Promise<Shown> {
  const caPem = String(trusted(stack, 'ca.pem'));
  const name = new X509Certificate(caPem).subject.replace(/^CN=/, '');
  const authority = await makeAuthority({ name, keyIds: false });
  const own = await makeCertificate({ issuer: authority, keyIds: false, usages, ...asDiscovery });
  return chain(own, caPem);
}

/** One of the site's CA, for discovery, that expired an hour ago. */
export async function expired(stack: Stack): Promise<Shown> {
  const caPem = String(trusted(stack, 'ca.pem'));
  const own = await issueCertificate(
    {
      commonName: 'discovery',
      notBefore: new Date(Date.now() - dayMs),
      notAfter: new Date(Date.now() - dayMs / 24),
      usages,
      ...asDiscovery,
    },
    { certificatePem: caPem, keyPem: String(trusted(stack, 'ca-key.pem')) },
  );
  return chain(own, caPem);
}

function chain(
  { certificatePem, keyPem }: Pick<TestCertificate, 'certificatePem' | 'keyPem'>,
  caPem: string,
) {
  return { chainPem: `${certificatePem}${caPem}`, keyPem };
}
