// The agent as the world meets it: an honest one behind what its persona makes of its calls. What is a fault, like a
// delay or garbage, is the matter of faults/; what a node says of itself when it came up follows from what it has
// committed.

import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { Secret } from '../../../shared/secret.js';
import type { Configuration } from '../agent/configuration.js';
import type { ServedAgent } from '../agent/served-agent.js';
import { enabling } from './lasting-provisioning.js';
import type { Persona } from './persona.js';

/** @returns the agent itself where the persona changes nothing of what it answers */
export function disguised(agent: ServedAgent, persona: Persona): ServedAgent {
  const { lie, provisioningMode } = persona;
  let served = agent;
  if (provisioningMode === 'REFUSES') {
    served = committing(served, (configuration) => ({
      ...configuration,
      configurationJson: enabling(configuration.configurationJson),
    }));
  }
  if (lie?.misplaces) {
    served = committing(served, (configuration) => ({
      ...configuration,
      digest: anotherDigest(configuration.digest),
    }));
  }
  return lie === undefined ? served : lying(served, persona);
}

function lying(agent: ServedAgent, { lie }: Persona): ServedAgent {
  switch (lie?.kind) {
    case 'wrong-signature':
      return replacing(agent, {
        generateEd25519Key: (call, nonce) => agent.generateEd25519Key(call, anotherNonce(nonce)),
      });
    case 'short-key':
      return replacing(agent, {
        generateEd25519Key: async (call, nonce) => {
          const key = await agent.generateEd25519Key(call, nonce);
          return { ...key, publicKey: key.publicKey.subarray(1) };
        },
      });
    case 'foreign-token':
      return replacing(agent, {
        getJwt: async (call) => {
          const answer = await agent.getJwt(call);
          return { ...answer, token: signedByStranger(answer.token) };
        },
      });
    case 'foreign-request':
      return replacing(agent, {
        generateCsr: (call, subject) => agent.generateCsr(call, { ...subject, commonName: anotherName }),
      });
    case 'no-restart':
      return replacing(agent, {
        restart: async (call, splayMs) => {
          // Whoever may not call is refused, as by an honest node.
          await agent.getRunStatus(call, call.caller.run);
          return splayMs;
        },
      });
    case 'garbage':
    case 'wrong-digest':
    case 'wrong-identity':
    case undefined:
      return agent;
  }
}

/** The agent, with another configuration in place of the one that it is sent. */
function committing(agent: ServedAgent, change: (sent: Configuration) => Configuration): ServedAgent {
  return replacing(agent, { configure: (call, sent) => agent.configure(call, change(sent)) });
}

/** The agent, with some of its calls replaced. */
function replacing(agent: ServedAgent, calls: Partial<ServedAgent>): ServedAgent {
  return new Proxy(agent, {
    get: (_, name) => {
      const own: unknown = Reflect.get(calls, name) ?? Reflect.get(agent, name, agent);
      // An agent's methods need their own `this`.
      return typeof own === 'function' ? own.bind(agent) : own;
    },
  });
}

const anotherName = 'somebody-else';

function anotherNonce(nonce: Uint8Array): Uint8Array {
  return nonce.length === 32 ? createHash('sha256').update(nonce).digest() : nonce;
}

/** @param digest hex */
function anotherDigest(digest: string): string {
  return createHash('sha256').update(digest).digest('hex');
}

/** The same claims, signed with a key that nobody knows. */
function signedByStranger(token: Secret): Secret {
  const [, claims = ''] = token.reveal().split('.');
  const header = Buffer.from('{"alg":"EdDSA","typ":"JWT"}').toString('base64url');
  const { privateKey } = generateKeyPairSync('ed25519');
  const signature = sign(null, Buffer.from(`${header}.${claims}`), privateKey).toString('base64url');
  return new Secret(`${header}.${claims}.${signature}`);
}
