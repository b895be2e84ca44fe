// Roles: what a peer may do, read from the SANs of its certificate (design, section 8, "Transport"). Which RPC
// needs which role is each service's matter.

import { RE2JS } from 're2js';

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

/** A subject alternative name of one of the kinds that roles are read from. */
export interface AlternativeName {
  readonly kind: 'URI' | 'DNS';
  readonly value: string;
}

/** Says which roles the bearer of these names has. */
export type RolesOf = (names: readonly AlternativeName[]) => ReadonlySet<Role>;

/** @throws Error naming the role, the pattern and what is wrong with it */
export function compileRoles(patterns: RolePatterns): RolesOf {
  const rules = roles.flatMap((role) =>
    patterns[role].map((pattern) => {
      try {
        return { role, matches: compilePattern(pattern) };
      } catch (error) {
        throw new Error(`the role ${role}: ${error instanceof Error ? error.message : String(error)}`);
      }
    }),
  );
  return (names) => new Set(rules.filter(({ matches }) => names.some(matches)).map(({ role }) => role));
}

/** @throws Error naming the pattern and what is wrong with it */
export function checkRolePattern(pattern: string): void {
  compilePattern(pattern);
}

function compilePattern(pattern: string): (name: AlternativeName) => boolean {
  const [, wanted, text = ''] = /^(URI|DNS):(.*)$/s.exec(pattern) ?? [];
  if (wanted === undefined)
    throw new Error(`the pattern "${pattern}" begins neither with URI: nor with DNS:`);
  if (text === '') throw new Error(`the pattern "${pattern}" has nothing after ${wanted}:`);
  let compiled: RE2JS;
  try {
    // DNS names are the same in upper and lower case.
    compiled = RE2JS.compile(text, wanted === 'DNS' ? RE2JS.CASE_INSENSITIVE : 0);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`the pattern "${pattern}" is no RE2 regular expression: ${why}`);
  }
  return ({ kind, value }) => kind === wanted && compiled.matches(value);
}
