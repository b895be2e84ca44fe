// Roles: what a peer may do, read from the SANs of its certificate (design, section 8, "Transport"). Which RPC
// needs which role is each service's matter.

/** viewer: watch and list. operator: also steer. provisioner: watch nodes and ask for cycles. */
export const roles = ['viewer', 'operator', 'provisioner'] as const;

export type Role = (typeof roles)[number];

/** Patterns over whole SANs of each role, as configured: `URI:…` or `DNS:…`, RE2, anchored. */
export type RolePatterns = Readonly<Record<Role, readonly string[]>>;

export const defaultRolePatterns: RolePatterns = {
  viewer: ['URI:slipway:role:viewer'],
  operator: ['URI:slipway:role:operator'],
  provisioner: ['URI:slipway:role:provisioner'],
};
