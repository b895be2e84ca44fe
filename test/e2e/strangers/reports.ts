// What strangers tell discovery: reports in anybody's name, signed by whoever, with any bearer; and what discovery
// then says of the nodes, as an operator sees it.

import { createPrivateKey, randomUUID, sign, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { credentials } from '@grpc/grpc-js';
import { expect } from 'vitest';
import type { Stack } from '../../../cli/launch/stack.js';
import { makeCertificate, type TestCertificate } from '../../fakes/certificates.js';
import { decode, encode, type Message, StrangersChannel } from './wire.js';

export const reportTypes = ['STARTUP', 'ALIVE', 'PROVISIONED', 'UPGRADED', 'SHUTDOWN'] as const;

export type ReportType = (typeof reportTypes)[number];

/** The certificate of a boot and its key. */
export type Signer = Pick<TestCertificate, 'certificatePem' | 'keyPem' | 'sha256'>;

/** A report as it goes over the wire. */
export interface Envelope {
  readonly report: Buffer;
  readonly certificate: Buffer;
  readonly signature: Buffer;
}

/** @returns a certificate of nobody's, as each boot makes one */
export function newSigner(): Promise<Signer> {
  return makeCertificate({ name: 'a boot' });
}

/** @returns what a stack's trust holds under that name in its folder of certificates, PEM */
export function trusted(stack: Stack, name: string): Buffer {
  return readFileSync(join(stack.trust?.certificates ?? '', name));
}

/** @returns the provisioning token of a stack's nodes */
export function fleetToken(stack: Stack): string {
  return readFileSync(stack.trust?.provisioningToken ?? '', 'utf8').trim();
}

/** One of the names in discovery's certificate, whatever address is dialled. */
const asDiscovery = { 'grpc.ssl_target_name_override': 'localhost' };

/** @param address of a listener that leads to discovery's for nodes */
export function registryAt(stack: Stack, address: string): StrangersChannel {
  return new StrangersChannel(address, credentials.createSsl(trusted(stack, 'ca.pem')), asDiscovery);
}

/** Someone who reports. */
export interface Voice {
  readonly registry: StrangersChannel;
  readonly identity: string;
  /** The address that the report comes from where it is undefined. */
  readonly host?: string;
  readonly port: number;
  readonly bootId: string;
  readonly signer: Signer;
  /** None where it is undefined. */
  readonly token: string | undefined;
}

let sequence = 2n ** 63n;

/** @returns the bytes of a report with a sequence that nobody has reached */
export function reportBytes(voice: Omit<Voice, 'registry' | 'signer' | 'token'>, type: ReportType): Buffer {
  const { identity, host = '', port, bootId } = voice;
  return encode('slipway.discovery.v1.NodeReport', {
    event_id: randomUUID(),
    type: `REPORT_TYPE_${type}`,
    identity,
    version: '0.99.1',
    boot_id: bootId,
    sequence: String(++sequence),
    port,
    host,
    ...(type === 'PROVISIONED' && { run_id: randomUUID(), configuration_digest: Buffer.alloc(32, 7) }),
  });
}

export function sealed(report: Buffer, { certificatePem, keyPem }: Signer): Envelope {
  const signed = Buffer.concat([Buffer.from('slipway/v1/report\n'), report]);
  const { raw } = new X509Certificate(certificatePem);
  return {
    report,
    certificate: Buffer.from(raw),
    signature: sign('sha256', signed, createPrivateKey(keyPem)),
  };
}

/** @throws RefusedCall */
export function say(voice: Voice, type: ReportType): Promise<Message> {
  return deliver(voice, sealed(reportBytes(voice, type), voice.signer));
}

/** @throws RefusedCall */
export function deliver({ registry, token }: Pick<Voice, 'registry' | 'token'>, envelope: Envelope) {
  const bearer = token === undefined ? undefined : { authorization: `Bearer ${token}` };
  return registry.call('discovery.v1.NodeRegistryService/Report', { ...envelope }, bearer);
}

/** A node as discovery has it. */
export interface SeenNode {
  readonly identity: string;
  readonly address: string;
  readonly boot_id: string;
  readonly certificate_sha256: Buffer;
}

export interface SeenEvent {
  readonly type: string;
  readonly node: SeenNode;
  readonly newcomer: SeenNode | null;
}

/** An operator who looks at discovery. */
export class Onlooker {
  readonly events: SeenEvent[] = [];
  readonly #channel: StrangersChannel;

  constructor(stack: Stack) {
    const pem = (name: string) => trusted(stack, name);
    const known = credentials.createSsl(pem('ca.pem'), pem('operator-key.pem'), pem('operator.pem'));
    this.#channel = new StrangersChannel(`127.0.0.1:${stack.ports.consumers}`, known, asDiscovery);
    const stream = this.#channel.follow('/slipway.discovery.v1.NodeDiscoveryService/WatchNodes', Buffer.of());
    stream.on('data', (bytes: Buffer) => {
      const { event } = decode('slipway.discovery.v1.WatchNodesResponse', bytes) as { event?: SeenEvent };
      if (event) this.events.push(event);
    });
    stream.on('error', () => {});
  }

  /** @returns the live nodes, by identity */
  async nodes(): Promise<Map<string, SeenNode>> {
    const { nodes } = await this.#channel.call('discovery.v1.NodeDiscoveryService/ListNodes', {
      page_size: 1000,
    });
    return new Map((nodes as SeenNode[]).map((node) => [node.identity, node]));
  }

  /** @returns addresses of incumbent and newcomer in the conflicts over a name, each pair once */
  conflictsOver(identity: string): string[] {
    const conflicts = this.events.filter(
      ({ type, node }) => type === 'NODE_EVENT_TYPE_CONFLICT' && node.identity === identity,
    );
    return [...new Set(conflicts.map(({ node, newcomer }) => `${node.address} ${newcomer?.address}`))];
  }

  /** Resolves when a conflict over the name has had these two addresses in it. */
  async untilConflict(identity: string, incumbent: string, newcomer: string): Promise<void> {
    await expect
      .poll(() => this.conflictsOver(identity), { timeout: 30_000, interval: 50 })
      .toContain(`${incumbent} ${newcomer}`);
  }
}
