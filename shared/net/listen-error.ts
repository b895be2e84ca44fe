// Why a program cannot listen where it should, in a sentence for whoever chose the address.

/** The message names the address and says why; `cause` is the system's error. */
export class ListenError extends Error {
  override readonly name = 'ListenError';
}

/**
 * The error for an address that could not be listened on.
 *
 * @param address `host:port`
 * @param cause the system's error, or one whose message has the system's code in it, as gRPC gives them
 */
export function listenError(address: string, cause: Error): ListenError {
  return new ListenError(`cannot listen on ${address}: ${whyNot(cause.message)}`, { cause });
}

function whyNot(message: string): string {
  if (message.includes('EADDRINUSE')) {
    return 'another program listens there already; stop it or configure another address';
  }
  if (message.includes('EACCES')) return 'this user may not listen on that port';
  if (message.includes('EADDRNOTAVAIL')) return 'it is no address of this machine';
  if (message.includes('ENOTFOUND') || message.includes('EAI_AGAIN')) return 'that name has no address';
  return message;
}
