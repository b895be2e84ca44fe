import { afterEach, describe, expect, it } from 'vitest';
import { ConfigFiles, loadSample, problemsOf, sampleSchema } from '../../test/fakes/sample-config.js';
import { defaultRolePatterns } from '../tls/roles.js';
import { insecureWarnings } from './common.js';
import { loadConfig } from './load.js';

const files = new ConfigFiles();

afterEach(() => files.remove());

function load(yaml: string, env: NodeJS.ProcessEnv = {}) {
  return loadSample({ file: files.file(`discovery: [d:1]\n${yaml}`), env }).config.tls;
}

function problemsWith(yaml: string): string[] {
  return problemsOf(() => load(yaml));
}

const all = 'cert: /a/cert.pem, key: /a/key.pem, ca: /a/ca.pem';

describe('tls', () => {
  it('is required where nothing else is written, with the default roles', () => {
    expect(load(`tls: {${all}}`)).toEqual({
      mode: 'required',
      cert: '/a/cert.pem',
      key: '/a/key.pem',
      ca: '/a/ca.pem',
      roles: defaultRolePatterns,
    });
  });

  it('has paths that are relative to the file, and comes from the environment as well', () => {
    const env = { SLIPWAY_TLS_KEY: '/b/key.pem', SLIPWAY_TLS_ROLES_OPERATOR: 'URI:a, DNS:b' };
    const tls = load(`tls: {${all.replace('/a/ca.pem', 'ca.pem')}}`, env);
    expect(tls.ca).toMatch(/^\/.*slipway-config-.*\/ca\.pem$/);
    expect(tls.key).toBe('/b/key.pem');
    expect(tls.roles.operator).toEqual(['URI:a', 'DNS:b']);
  });

  it.each([
    ['cert: a, key: b', ['tls.ca: is required: expected a path (or set SLIPWAY_TLS_CA)']],
    [
      'mode: required, ca: a',
      [
        'tls.cert: is required: expected a path (or set SLIPWAY_TLS_CERT)',
        'tls.key: is required: expected a path (or set SLIPWAY_TLS_KEY)',
      ],
    ],
  ])('names the file that is missing: %s', (yaml, problems) => {
    expect(problemsWith(`tls: {${yaml}}`)).toEqual(problems);
  });

  it('says once what it needs where there is no file at all', () => {
    expect(problemsWith('tls: {}')).toEqual([expect.stringMatching(/^tls\.mode: TLS needs a certificate/)]);
  });

  it('replaces the patterns of the roles that are named, and of no other', () => {
    const { roles } = load(
      `tls: {${all}, roles: {viewer: ['DNS:.*\\.ops\\.example\\.net'], provisioner: []}}`,
    );
    expect(roles).toEqual({
      ...defaultRolePatterns,
      viewer: ['DNS:.*\\.ops\\.example\\.net'],
      provisioner: [],
    });
  });

  it.each([
    ['viewer: [ops]', /^tls\.roles\.viewer\[0\]: the pattern "ops" begins neither with URI: nor with DNS: /],
    ['operator: ["URI:"]', /^tls\.roles\.operator\[0\]: the pattern "URI:" has nothing after URI: /],
    [
      'viewer: ["URI:a", "DNS:("]',
      /^tls\.roles\.viewer\[1\]: the pattern "DNS:\(" is no RE2 regular expression: /,
    ],
    ['viewer: ["DNS:(?=a)"]', /^tls\.roles\.viewer\[0\]: the pattern "DNS:\(\?=a\)" is no RE2/],
    ['admin: ["URI:a"]', /^tls\.roles\.admin: unknown setting/],
  ])('refuses roles that mean nothing: %s', (roles, problem) => {
    expect(problemsWith(`tls: {${all}, roles: {${roles}}}`)).toEqual([expect.stringMatching(problem)]);
  });

  it('that is insecure warns that files have no effect', () => {
    const source = { file: files.file('discovery: [d:1]\ntls: {mode: insecure, cert: a, ca: b}'), env: {} };
    const { warnings } = loadConfig({
      schema: sampleSchema,
      service: 'provisioner',
      source,
      warn: insecureWarnings,
    });
    expect(warnings).toEqual([
      expect.stringMatching(/bearer tokens and proofs protect nothing/),
      'tls.cert, tls.ca: without effect while tls.mode is insecure',
    ]);
  });
});
