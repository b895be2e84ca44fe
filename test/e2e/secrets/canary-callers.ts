// Callers of a stack's services who are refused, and everything that they are told.

import { createPrivateKey, randomUUID, X509Certificate } from 'node:crypto';
import { Metadata, type ServiceError } from '@grpc/grpc-js';
import { onTestFinished } from 'vitest';
import type { Stack } from '../../../cli/launch/stack.js';
import type { Node } from '../../../shared/gen/slipway/discovery/v1/discovery.js';
import {
  NodeRegistryServiceClient,
  NodeReport,
  ReportType,
} from '../../../shared/gen/slipway/discovery/v1/registry.js';
import { ConfigureRequest, NodeAgentServiceClient } from '../../../shared/gen/slipway/node/v1/node.js';
import type { UnaryMethod } from '../../../shared/grpc/call.js';
import { pinnedNodeCredentials } from '../../../shared/grpc/credentials.js';
import { writeNodeMetadata } from '../../../shared/grpc/node-metadata.js';
import { registryCredentials } from '../../../shared/tls/channel-credentials.js';
import { signReport } from '../../../shared/trust/report-envelope.js';
import { makeCertificate } from '../../fakes/certificates.js';

const timeoutMs = 10_000;

/** Reports a node with that bearer. @returns all that came back */
export async function reportInVain(stack: Stack, caPem: string, bearer: string): Promise<string> {
  const client = new NodeRegistryServiceClient(
    `127.0.0.1:${stack.ports.nodes}`,
    registryCredentials({ kind: 'CA', caPem }),
  );
  onTestFinished(() => client.close());
  const { certificatePem, keyPem } = await makeCertificate({ name: 'boot' });
  const wish = {
    type: ReportType.STARTUP,
    eventId: randomUUID(),
    bootId: randomUUID(),
    identity: 'in-vain.example.net',
    sequence: 1n,
    time: new Date(),
    host: '127.0.0.1',
    port: 7430,
  };
  const report = Buffer.from(NodeReport.encode(NodeReport.fromPartial(wish)).finish());
  const request = {
    report,
    certificate: new X509Certificate(certificatePem).raw,
    signature: signReport(report, createPrivateKey(keyPem)),
  };
  const metadata = new Metadata();
  metadata.set('authorization', `Bearer ${bearer}`);
  return refusalOf(client.report.bind(client), request, metadata);
}

/** Configures a node with a proof that is none. @returns all that came back */
export function configureInVain(node: Node, proof: string, value: string): Promise<string> {
  const { identity, address, bootId, certificateSha256 } = node;
  const client = new NodeAgentServiceClient(
    address,
    pinnedNodeCredentials(certificateSha256.toString('hex')),
  );
  onTestFinished(() => client.close());
  const caller = { site: 'demo', provisioner: randomUUID(), run: randomUUID(), fence: BigInt(Date.now()) };
  const metadata = writeNodeMetadata({ ...caller, proof, identity, boot: bootId });
  const request = ConfigureRequest.fromPartial({ configurationJson: JSON.stringify({ value }) });
  return refusalOf(client.configure.bind(client), request, metadata);
}

function refusalOf<Req, Res>(
  invoke: UnaryMethod<Req, Res>,
  request: Req,
  metadata: Metadata,
): Promise<string> {
  return new Promise((resolve, reject) => {
    invoke(request, metadata, { deadline: Date.now() + timeoutMs }, (error: ServiceError | null) => {
      if (error === null) reject(new Error('the call was not refused'));
      else resolve(`${error.message} ${error.details} ${textOf(error.metadata)}`);
    });
  });
}

/** Details are bytes, in which texts stand as they are. */
function textOf(metadata: Metadata): string {
  const values = Object.keys(metadata.getMap()).flatMap((key) => metadata.get(key));
  return values.map((value) => (typeof value === 'string' ? value : value.toString('latin1'))).join(' ');
}
