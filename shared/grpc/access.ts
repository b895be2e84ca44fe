// Who may call what: the access that each RPC needs, and what a peer without it is told (design, section 8). It is
// decided when a call begins, before anything of its request is read.

import {
  ServerInterceptingCall,
  type ServerInterceptor,
  type ServiceDefinition,
  status,
} from '@grpc/grpc-js';
import type { Logger } from '../logger.js';
import type { Role } from '../tls/roles.js';
import { RpcError, toStatus } from './errors.js';
import { type AuthContext, certificateName } from './peer-name.js';

/** OPEN: anybody. Else one of these roles. */
export type Access = 'OPEN' | readonly Role[];

/** The access of every RPC of a service, by its name: `WatchNodes`. */
export type AccessTable = Readonly<Record<string, Access>>;

/** Says which roles the peer of a call has. */
export interface Authenticator {
  /** @throws RpcError UNAUTHENTICATED where it shows no certificate that counts; the message says why */
  rolesOf(context: AuthContext): ReadonlySet<Role>;
}

/** The access of every RPC of a server, by its path: `/slipway.discovery.v1.NodeDiscoveryService/WatchNodes`. */
export class AccessByPath {
  readonly #access = new Map<string, Access>();

  /** @throws Error where the table lacks an RPC of the service, or has one that the service has not */
  add(definition: ServiceDefinition, table: AccessTable): void {
    const unused = new Set(Object.keys(table));
    for (const { path } of Object.values(definition)) {
      const name = path.slice(path.lastIndexOf('/') + 1);
      const access = Object.hasOwn(table, name) ? table[name] : undefined;
      if (access === undefined) throw new Error(`nobody has said who may call ${path}`);
      unused.delete(name);
      this.#access.set(path, access);
    }
    for (const name of unused) throw new Error(`access is given to ${name}, which no RPC is called`);
  }

  addAll(definition: ServiceDefinition, access: Access): void {
    for (const { path } of Object.values(definition)) this.#access.set(path, access);
  }

  /** @returns what refuses the calls of peers that lack what the RPC needs, and of RPCs that were not added */
  enforcedWith(authenticator: Authenticator, log: Logger): ServerInterceptor {
    return ({ path }, call) => {
      const access = this.#access.get(path);
      const refusal = refusalOf(path, access, () => call.getAuthContext(), authenticator);
      if (refusal === undefined) return new ServerInterceptingCall(call);
      const told = toStatus(refusal);
      log.debug({ rpc: path, peer: call.getPeer(), why: told.details }, 'a call was refused');
      return new ServerInterceptingCall(call, { start: () => call.sendStatus(told) });
    };
  }
}

/** @returns undefined where the call may go on */
function refusalOf(
  path: string,
  access: Access | undefined,
  contextOf: () => AuthContext,
  authenticator: Authenticator,
): unknown {
  if (access === 'OPEN') return undefined;
  try {
    const context = contextOf();
    const has = authenticator.rolesOf(context);
    if (access?.some((role) => has.has(role))) return undefined;
    return roleMissing(path, access ?? [], has, certificateName(context));
  } catch (error) {
    return error;
  }
}

function roleMissing(path: string, needed: readonly Role[], has: ReadonlySet<Role>, name: string): RpcError {
  const held = has.size === 0 ? 'no role' : `the role ${[...has].join(', ')}`;
  const holder = name === '' ? 'this certificate' : `the certificate of "${name}"`;
  const message = `${path.slice(1)} needs the role ${needed.join(' or ')}; ${holder} has ${held}`;
  return new RpcError(status.PERMISSION_DENIED, message, { reason: 'ROLE_MISSING' });
}
