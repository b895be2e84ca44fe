// What grpc-js itself has to say. By default it writes to stderr in a format of its own.

import { setLogger } from '@grpc/grpc-js';
import type { Logger } from '../logger.js';

/**
 * Sends the messages of grpc-js to a logger at debug: what matters of them reaches the callers as errors.
 * It holds for the whole process, so it is for the start of a program.
 */
export function routeLibraryLog(log: Logger): void {
  const library = log.child({ library: 'grpc-js' });
  const write = (...parts: unknown[]) => library.debug(withoutSecrets(parts.map(String).join(' ')));
  setLogger({ error: write, info: write, debug: write });
}

/** With GRPC_TRACE set, servers write down the headers of every request. */
function withoutSecrets(message: string): string {
  return message.replaceAll(secretHeaders, '"$1":["[redacted]"]');
}

/** In JSON: a list of texts. */
const secretHeaders = /"(authorization|slipway-proof)":\[(?:"(?:[^"\\]|\\.)*",?)*\]/gi;
