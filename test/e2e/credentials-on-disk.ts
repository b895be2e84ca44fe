// Whether each node of a stack has a key and a token, which were made for one another and for it: judged by code that
// the services do not run.

import { readFileSync } from 'node:fs';
import type { Stack } from '../../cli/launch/stack.js';
import { isSignedBy, openCompactToken, publicKeyOf } from './compact-tokens.js';
import { filesOfNodes } from './node-files.js';

export interface NodeCredentials {
  readonly identity: string;
  /** Hex. */
  readonly seed: string;
  /** Id of the token. */
  readonly jti: string;
  /** What is wrong with them; empty where nothing is. */
  readonly problem: string;
}

/** @returns what each node holds, in the order of the nodes; tokens are signed by the stack's own key */
export function credentialsOf(stack: Stack): NodeCredentials[] {
  const signer = readFileSync(stack.trust?.verificationKey ?? '', 'utf8').trim();
  return filesOfNodes(stack).map((node) => {
    const { identity } = node;
    if (!node.has('server.seed') || !node.has('server.jwt')) {
      return { identity, seed: '', jti: '', problem: 'it has no key, or no token' };
    }
    const seed = node.read('server.seed');
    const token = openCompactToken(node.read('server.jwt'));
    const { claims } = token;
    const fits = claims.public_key === publicKeyOf(seed) && claims.identity === identity;
    const problem = fits ? '' : 'the token is for another';
    return {
      identity,
      seed,
      jti: String(claims.jti),
      problem: isSignedBy(token, signer) ? problem : 'forged',
    };
  });
}

/** @returns what is wrong with nodes that should all have key and token, each its own; empty where nothing is */
export function withoutCredentials(stack: Stack): string[] {
  const credentials = credentialsOf(stack);
  const shared = (value: 'seed' | 'jti') =>
    new Set(credentials.map((each) => each[value])).size < credentials.length
      ? [`nodes share a ${value}`]
      : [];
  return [
    ...credentials
      .filter(({ problem }) => problem !== '')
      .map(({ identity, problem }) => `${identity}: ${problem}`),
    ...shared('seed'),
    ...shared('jti'),
  ];
}
