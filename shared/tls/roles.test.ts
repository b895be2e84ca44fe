import { describe, expect, it } from 'vitest';
import { type AlternativeName, compileRoles, defaultRolePatterns, type RolePatterns } from './roles.js';

const none: RolePatterns = { viewer: [], operator: [], provisioner: [] };

function rolesWith(patterns: Partial<RolePatterns>, ...names: string[]): string[] {
  const parsed = names.map((name): AlternativeName => {
    const kind = name.startsWith('URI:') ? 'URI' : 'DNS';
    return { kind, value: name.slice(4) };
  });
  return [...compileRoles({ ...none, ...patterns })(parsed)];
}

describe('roles', () => {
  it('are by default the URIs that are named after them', () => {
    const names = ['URI:slipway:role:provisioner', 'URI:slipway:role:viewer', 'DNS:slipway:role:operator'];
    expect(rolesWith(defaultRolePatterns, ...names)).toEqual(['viewer', 'provisioner']);
  });

  it.each([
    ['URI:slipway:role:viewer', 'URI:slipway:role:viewer2', false],
    ['URI:slipway:role:viewer', 'URI:xslipway:role:viewer', false],
    ['URI:slipway:role:viewer', 'URI:slipway:role:viewer\n', false],
    ['URI:slipway:role:viewer', 'URI:Slipway:role:viewer', false],
    ['URI:a|b', 'URI:ab', false],
    ['URI:a|b', 'URI:b', true],
    ['URI:^a$', 'URI:a', true],
    ['URI:spiffe://site/(ops|admin)/.+', 'URI:spiffe://site/ops/ann', true],
    ['URI:spiffe://site/(ops|admin)/.+', 'URI:spiffe://site/ops/', false],
    ['DNS:.*\\.ops\\.example\\.net', 'DNS:a.OPS.example.net', true],
    ['DNS:.*\\.ops\\.example\\.net', 'DNS:a.ops.example.net.evil.org', false],
    ['DNS:a', 'URI:a', false],
    ['URI:.*', 'DNS:a', false],
  ])('the pattern %s and the name %j: %s', (pattern, name, matches) => {
    expect(rolesWith({ viewer: [pattern] }, name)).toEqual(matches ? ['viewer'] : []);
  });

  it('are given by any of several patterns, and several by one name', () => {
    const patterns = { viewer: ['URI:x', 'DNS:a'], operator: ['DNS:a'] };
    expect(rolesWith(patterns, 'DNS:a')).toEqual(['viewer', 'operator']);
  });

  it.each([
    ['slipway', 'the role operator: the pattern "slipway" begins neither with URI: nor with DNS:'],
    ['uri:a', 'the role operator: the pattern "uri:a" begins neither with URI: nor with DNS:'],
    ['DNS:', 'the role operator: the pattern "DNS:" has nothing after DNS:'],
    ['URI:[', /^the role operator: the pattern "URI:\[" is no RE2 regular expression: /],
    ['URI:(a)\\1', /is no RE2 regular expression/],
  ])('refuse the pattern %s', (pattern, message) => {
    expect(() => compileRoles({ ...none, operator: [pattern] })).toThrow(message);
  });
});
