// Agents of strangers, and strangers who call agents: what somebody answers who holds a token of the fleet, what
// somebody in the middle passes on, and what somebody who knows a node's secret, or has overheard a proof, calls.

import { createHash, createHmac, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { connect } from 'node:tls';
import { credentials } from '@grpc/grpc-js';
import { newEd25519Pair } from '../compact-tokens.js';
import type { Signer } from './reports.js';
import { agentPaths, type HeardCall, type ListeningPlace, methodOf, StrangersServer } from './servers.js';
import { decode, encode, type Message, type MetadataEntries, StrangersChannel } from './wire.js';

const namespace = 'slipway.node.v1';

export type Answer = (request: Message, call: HeardCall) => Message | Promise<Message>;

/** What an agent answers to each call, by the method's name. */
export type Answers = Readonly<Record<string, Answer>>;

/** Starts an agent that answers so; every other call fails. */
export function startAgent(
  place: ListeningPlace,
  signer: Signer,
  answers: Answers,
): Promise<StrangersServer> {
  return StrangersServer.start(place, signer, agentPaths, async (call) => {
    const method = methodOf(call.path);
    const answer = answers[method];
    if (answer === undefined) throw new Error(`${method} is not answered`);
    const reply = await answer(decode(`${namespace}.${method}Request`, call.request), call);
    return encode(`${namespace}.${method}Response`, reply);
  });
}

/** @returns what an agent of that name says of itself */
export function introduction(identity: string, bootId: string): Message {
  return {
    identity,
    boot_id: bootId,
    challenge: randomBytes(32),
    provisioning: true,
    version: '0.99.1',
    features: { jwt: true, ed25519: true, pki: true, upgrades: false },
  };
}

/** @returns answers of an agent that does all that is asked of it */
export function obedient(self: Message, token: string): Answers {
  const { publicKey, key } = newEd25519Pair();
  let digest: Buffer = Buffer.of();
  return {
    Identify: () => self,
    GetJwt: () => ({ jwt: token, ecdh_public: newExchangeKey() }),
    GenerateEd25519Key: ({ nonce }, { metadata }) => ({
      public_key: Buffer.from(publicKey, 'hex'),
      signature: signChallenge(String(self.identity), metadata['slipway-run'] ?? '', nonce as Buffer, key),
      directory: '/etc/node',
    }),
    GetInventory: () => ({ version: '0.99.1', machines_json: '[]', facts_json: '{}' }),
    Configure: (request) => {
      digest = digestOf(request);
      return { configuration_digest: digest };
    },
    Restart: () => ({}),
    GetRunStatus: () => ({ stage: 'RUN_STAGE_CONFIGURED', configuration_digest: digest }),
  };
}

function newExchangeKey(): Buffer {
  return generateKeyPairSync('x25519').publicKey.export({ type: 'spki', format: 'der' }).subarray(-32);
}

function signChallenge(identity: string, runId: string, nonce: Buffer, key: KeyObject): Buffer {
  const lines = ['slipway/v1/ed25519-challenge', identity, runId, nonce.toString('hex')];
  return sign(null, Buffer.from(lines.join('\n')), key);
}

/** The digest of a configuration, as the design has it. */
function digestOf(request: Message): Buffer {
  const hash = createHash('sha256');
  const count = (value: number) => {
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64BE(BigInt(value));
    hash.update(bytes);
  };
  const add = (value: unknown) => {
    const bytes = Buffer.isBuffer(value) ? value : Buffer.from(String(value));
    count(bytes.length);
    hash.update(bytes);
  };
  const { action_policies, opa_policies, ...fields } = request;
  for (const field of Object.values(fields)) add(field);
  for (const map of [action_policies, opa_policies]) {
    const pairs = Object.entries(map as Message).sort();
    count(pairs.length);
    for (const part of pairs.flat()) add(part);
  }
  return hash.digest();
}

/** Another's agent, whoever calls it. */
export class CalledAgent {
  readonly #channel: StrangersChannel;
  /** Hex SHA-256 of the certificate that it shows. */
  readonly #certificateSha256: string;

  private constructor(channel: StrangersChannel, certificateSha256: string) {
    this.#channel = channel;
    this.#certificateSha256 = certificateSha256;
  }

  /** @param address host:port */
  static async at(address: string): Promise<CalledAgent> {
    const der = await shownCertificate(address);
    const base64 = der.toString('base64').replaceAll(/.{64}/g, '$&\n');
    const pem = Buffer.from(`-----BEGIN CERTIFICATE-----\n${base64}\n-----END CERTIFICATE-----\n`);
    const known = credentials.createSsl(pem, null, null, { checkServerIdentity: () => undefined });
    const channel = new StrangersChannel(address, known, { 'grpc.ssl_target_name_override': 'agent' });
    return new CalledAgent(channel, createHash('sha256').update(der).digest('hex'));
  }

  identify(): Promise<Message> {
    return this.call('Identify', {});
  }

  /** @throws RefusedCall */
  call(method: string, request: Message, metadata: MetadataEntries = {}): Promise<Message> {
    return this.#channel.call(`node.v1.NodeAgentService/${method}`, request, metadata);
  }

  /**
   * Passes a call on as it came, but for what is given.
   *
   * @throws RefusedCall
   */
  passOn({ path, request, metadata }: HeardCall, over: MetadataEntries = {}): Promise<Buffer> {
    const own = Object.entries(metadata).filter(([key]) => key.startsWith('slipway-'));
    return this.#channel.send(path, request, { ...Object.fromEntries(own), ...over });
  }

  /** @returns what a provisioner says of itself that knows the secret, for calls to the agent as it is now */
  async callerKnowing(secret: string, runId: string): Promise<MetadataEntries> {
    const { identity, boot_id, challenge } = await this.identify();
    const lines = ['slipway/v1/caller', identity, runId, (challenge as Buffer).toString('hex')];
    const text = [...lines, this.#certificateSha256].join('\n');
    return {
      'slipway-proof': createHmac('sha256', secret).update(text).digest('hex'),
      'slipway-identity': String(identity),
      'slipway-boot': String(boot_id),
      'slipway-site': 'demo',
      'slipway-provisioner': 'stranger',
      'slipway-run': runId,
      'slipway-fence': String(Date.now()),
    };
  }
}

/** @returns the certificate that is shown at an address, DER */
function shownCertificate(address: string): Promise<Buffer> {
  const [host = '', port = ''] = address.split(':');
  return new Promise((resolve, reject) => {
    const options = { host, port: Number(port), ALPNProtocols: ['h2'], rejectUnauthorized: false };
    const socket = connect(options, () => {
      resolve(socket.getPeerCertificate().raw);
      socket.destroy();
    });
    socket.once('error', reject);
  });
}
