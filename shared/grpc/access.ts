// Who may call what: the access that each RPC needs, and what a peer without it is told (design, section 8).

import type { ServerUnaryCall } from '@grpc/grpc-js';
import type { Clock } from '../clock.js';
import type { Role, RolePatterns } from '../tls/roles.js';

/** OPEN: anybody. Else one of these roles. */
export type Access = 'OPEN' | readonly Role[];

/** The access of every RPC of a service, by its name: `WatchNodes`. */
export type AccessTable = Readonly<Record<string, Access>>;

/** What a connection shows of its peer. */
export type AuthContext = ReturnType<ServerUnaryCall<unknown, unknown>['getAuthContext']>;

/** Says which roles the peer of a call has. */
export interface Authenticator {
  /** @throws RpcError UNAUTHENTICATED where it shows no certificate that counts; the message says why */
  rolesOf(context: AuthContext): ReadonlySet<Role>;
}

/** Reads roles from client certificates, which need EKU clientAuth and must be valid at the moment of the call. */
export function certificateAuthenticator(_patterns: RolePatterns, _clock: Clock): Authenticator {
  throw new Error('not yet');
}
