// Meets a node outside a run, because an operator wants something of it: where it is, and that it is the one that is
// meant. What is wanted is the caller's matter.

import { type Clock, sleep } from '../../../shared/clock.js';
import type { Identity } from '../../../shared/identity.js';
import { type Cidr, type Lookup, resolveDialable } from '../../../shared/net/dial-policy.js';
import {
  type Contact,
  type Dial,
  type FirstContact,
  type NodeAddress,
  type NodeAgent,
  NodeCallError,
  type NodeDescription,
} from '../run/node.js';
import { describe, failedBy, showsAnotherCertificate } from '../run/verdict.js';
import { ControlError } from './control-error.js';

export interface MeetingOptions {
  readonly dial: Dial;
  readonly firstContact: FirstContact;
  /** Networks that may be dialled. */
  readonly networks: readonly Cidr[];
  readonly lookup: Lookup;
  readonly identifyTimeoutMs: number;
  readonly clock: Clock;
}

/** Where a node is to be met. */
export type Place =
  /** Host and port, as an operator wrote them. Whoever answers there as the node is it, whatever certificate it has. */
  | { readonly kind: 'GIVEN'; readonly address: string }
  /** On that certificate and no other. */
  | { readonly kind: 'KNOWN'; readonly node: NodeAddress };

/** A node that has answered as the one that is meant. */
export interface Met {
  readonly agent: NodeAgent;
  readonly found: NodeDescription;
  /** IP address and port. */
  readonly address: string;
  /** Hex SHA-256 of the certificate that it showed; empty without TLS. */
  readonly certificateSha256: string;
}

/**
 * Meets a node, has something done with it and closes its channel.
 *
 * @throws ControlError where it is not met, and what `act` throws
 */
export async function atNode<T>(
  options: MeetingOptions,
  identity: Identity,
  place: Place,
  signal: AbortSignal,
  act: (met: Met) => Promise<T> | T,
): Promise<T> {
  const address = place.kind === 'KNOWN' ? place.node.address : await resolve(options, place.address, signal);
  let contact: Contact | undefined;
  try {
    contact = place.kind === 'KNOWN' ? knownContact(options.dial, place.node) : options.firstContact(address);
    const { agent, certificateSha256 } = contact;
    const found = await agent.identify({ timeoutMs: options.identifyTimeoutMs, signal });
    if (found.identity !== identity) {
      const message = `${address} answers as ${found.identity}, not as ${identity}`;
      throw new ControlError('NOT_NOW', 'IDENTITY_MISMATCH', message);
    }
    return await act({ agent, found, address, certificateSha256: certificateSha256() });
  } catch (error) {
    throw error instanceof NodeCallError ? notMet(address, error) : error;
  } finally {
    contact?.agent.close();
  }
}

function knownContact(dial: Dial, node: NodeAddress): Contact {
  return { agent: dial(node), certificateSha256: () => node.certificateSha256 };
}

function notMet(address: string, error: NodeCallError): ControlError {
  const { failure } = error;
  if (showsAnotherCertificate(failure)) {
    const message =
      `${address} shows another certificate than that of the boot that is known: the node has booted since, or ` +
      'somebody else is there; give its address to take whoever answers';
    return new ControlError('UNREACHABLE', 'UNREACHABLE', message, { cause: error });
  }
  const outcome = failedBy(failure, 'IDENTIFY');
  const reason = outcome.kind === 'FAILED' ? outcome.reason : 'RPC_FAILED';
  const message = `${address} does not answer Identify: ${describe(failure)}`;
  return new ControlError(reason === 'UNREACHABLE' ? 'UNREACHABLE' : 'NOT_NOW', reason, message, {
    cause: error,
  });
}

async function resolve(
  { networks, lookup, clock, identifyTimeoutMs }: MeetingOptions,
  address: string,
  signal: AbortSignal,
): Promise<string> {
  // A resolver that does not answer must not hold the call for ever.
  const bounded: Lookup = (host) => within(lookup(host), clock, identifyTimeoutMs, signal);
  const target = await resolveDialable(address, networks, bounded);
  signal.throwIfAborted();
  if (target.ok) return target.address;
  if (target.kind === 'UNRESOLVED') throw new ControlError('UNREACHABLE', 'UNREACHABLE', target.message);
  throw new ControlError('BAD_ADDRESS', 'ARGUMENT_INVALID', target.message);
}

async function within<T>(work: Promise<T>, clock: Clock, ms: number, signal: AbortSignal): Promise<T> {
  const done = new AbortController();
  const late = sleep(clock, ms, AbortSignal.any([signal, done.signal])).then(() => {
    throw new Error(`no answer within ${ms} ms`);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    done.abort();
    late.catch(() => {});
  }
}
