// The calls of one run, and nothing else: no state, no retries, no checks of what comes back. What a node would refuse a
// call without is made as cheaply as can be: proof, fence, and a server token that nobody has signed for it.

import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type CallOptions, type ClientUnaryCall, Metadata, type ServiceError } from '@grpc/grpc-js';
import { ConfigureRequest, NodeAgentServiceClient } from '../../../../shared/gen/slipway/node/v1/node.js';
import { ipTarget, nodeChannelOptions } from '../../../../shared/grpc/channel.js';
import { insecureNodeCredentials, pinnedNodeCredentials } from '../../../../shared/grpc/credentials.js';
import { writeNodeMetadata } from '../../../../shared/grpc/node-metadata.js';
import { newRunId } from '../../../../shared/identity.js';
import { proof } from '../../../../shared/trust/proof.js';
import { toDuration } from '../../../../shared/wire/time.js';
import { sampleInput } from '../../fleet/helper.js';

export interface ReportedNode {
  readonly identity: string;
  /** host:port. */
  readonly address: string;
  /** Hex, of the DER; empty without TLS. */
  readonly certificateSha256: string;
}

export interface CallsPlan {
  /** The provisioning secret is in it; undefined where there is none. */
  readonly secretFile: string | undefined;
  readonly features: { readonly jwt: boolean; readonly ed25519: boolean };
  readonly configurationJson: string;
  /** One for a node named {@link sampleIdentity}; empty without ed25519. */
  readonly sampleToken: string;
}

export const sampleIdentity = 'node-00000.swarm.local';

const timeoutMs = 10_000;
const splay = toDuration(1_000);

type Method<Req, Res> = (
  request: Req,
  metadata: Metadata,
  options: Partial<CallOptions>,
  callback: (error: ServiceError | null, response: Res) => void,
) => ClientUnaryCall;

/**
 * @param ask runs the helper, where one is to be run
 * @returns makes the calls on one node, over a channel of its own; it throws what the first call that fails does
 */
export function bareCalls(
  { secretFile, features, configurationJson, sampleToken }: CallsPlan,
  ask: (input: string) => Promise<void>,
): (node: ReportedNode) => Promise<void> {
  const secret = secretFile === undefined ? '' : readFileSync(secretFile, 'utf8').trim();
  const insecure = insecureNodeCredentials();
  const [header, body = '', signature] = sampleToken.split('.');
  const sampleBody = JSON.parse(Buffer.from(body, 'base64url').toString() || 'null');
  let fence = BigInt(Date.now());

  return async ({ identity, address, certificateSha256 }) => {
    const trusted = certificateSha256 === '' ? insecure : pinnedNodeCredentials(certificateSha256);
    const client = new NodeAgentServiceClient(ipTarget(address), trusted, nodeChannelOptions);
    const runId = newRunId();
    fence += 1n;
    const about = await call(client.identify.bind(client), {}, new Metadata());
    const metadata = () =>
      writeNodeMetadata({
        proof: proof({ secret, identity, runId, challenge: about.challenge, certificateSha256 }),
        identity,
        boot: about.bootId,
        site: 'demo',
        provisioner: 'bare-00000000',
        run: runId,
        fence,
      });
    if (features.jwt) await call(client.getJwt.bind(client), {}, metadata());
    let serverJwt = '';
    let sslDir = '';
    if (features.ed25519) {
      const request = { nonce: randomBytes(32) };
      const key = await call(client.generateEd25519Key.bind(client), request, metadata());
      serverJwt = tokenFor(identity, key.publicKey);
      sslDir = key.directory;
    }
    await call(client.getInventory.bind(client), {}, metadata());
    await ask(sampleInput);
    const configuration = ConfigureRequest.fromPartial({ configurationJson, serverJwt, sslDir });
    await call(client.configure.bind(client), configuration, metadata());
    await call(client.restart.bind(client), { splay }, metadata());
    client.close();
  };

  /** As long as one that was signed; nodes look only for whose key it is. */
  function tokenFor(identity: string, publicKey: Buffer): string {
    const claims = { ...sampleBody, identity, public_key: publicKey.toString('hex') };
    return `${header}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.${signature}`;
  }
}

function call<Req, Res>(method: Method<Req, Res>, request: Req, metadata: Metadata): Promise<Res> {
  return new Promise((resolve, reject) => {
    method(request, metadata, { deadline: Date.now() + timeoutMs }, (error, response) => {
      if (error === null) resolve(response);
      else reject(error);
    });
  });
}
