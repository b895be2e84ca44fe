// Fleets with certificates: for keys that the nodes made, and for keys that the helper gave. What the nodes hold
// afterwards is verified with OpenSSL.

import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { projectRoot } from '../../../cli/launch/project.js';
import { quoteWord } from '../../../cli/launch/quote.js';
import type { Stack } from '../../../cli/launch/stack.js';
import { untilConfirmed } from '../confirmed.js';
import { loggedOf, secretsOf } from '../logged.js';
import { filesOfNodes, type NodeFiles } from '../node-files.js';
import { nodesOnDisk, notWhole } from '../nodes-on-disk.js';
import { scratchFolder } from '../scratch-folder.js';
import { exampleHelper, prepareStack, testHelper } from '../workspace.js';
import { needsOpenssl, openssl } from './openssl.js';

/** An RSA key takes a while. */
const nodes = 8;
const signingCommand = join(projectRoot(), 'examples/helpers/x509-ca.sh');

const certificate = 'ssl/certificate.pem';
const ca = 'ssl/ca.pem';
const key = 'ssl/private.pem';
const request = 'ssl/csr.pem';

/** Starts an encrypted fleet whose nodes make requests, and resolves when all of them are up. */
async function provision(features: { jwt?: boolean }, helper: string): Promise<Stack> {
  const stack = await prepareStack({
    nodes,
    tls: 'required',
    features: { ...features, pki: true },
    helper,
    discovery: { interval: '5s', loglevel: 'debug' },
    provisioner: { interval: '5s', helper_timeout: '30s', loglevel: 'debug' },
    swarm: ['--loglevel', 'debug'],
  });
  await stack.startAll();
  await untilConfirmed(stack, nodes, 100_000);
  expect(notWhole(await nodesOnDisk(stack))).toEqual([]);
  return stack;
}

/** The certificate is one of the site's CA, for the node's name alone, and for the key that the node has. */
function expectCertificateOf(authority: string, node: NodeFiles): void {
  const file = node.path(certificate);
  const x509 = (...args: string[]) => openssl(['x509', '-in', file, '-noout', ...args]).out.trim();
  expect(openssl(['verify', '-x509_strict', '-purpose', 'sslclient', '-CAfile', authority, file]).text).toBe(
    `${file}: OK\n`,
  );
  expect(x509('-subject', '-nameopt', 'RFC2253')).toBe(`subject=CN=${node.identity}`);
  expect(x509('-ext', 'subjectAltName').split('\n').slice(1).join().trim()).toBe(`DNS:${node.identity}`);
  expect(x509('-pubkey')).toBe(openssl(['pkey', '-in', node.path(key), '-pubout']).out.trim());
  expect(openssl(['rsa', '-in', node.path(key), '-check', '-noout']).text).toContain('RSA key ok');
}

function modesOf(node: NodeFiles, ...names: string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, node.mode(name)]));
}

function linesOf(keys: readonly string[]): string[] {
  return keys.flatMap((pem) => pem.split('\n').filter((line) => line !== '' && !line.startsWith('---')));
}

test('a fleet with the x509 example: each node has a certificate for the key that it made', async (context) => {
  needsOpenssl(context);
  const folder = scratchFolder();
  const env = { X509_CA_DIR: join(folder, 'ca') };
  const stack = await provision({}, exampleHelper('x509.sh', env));

  const authority = join(folder, 'ca/ca-with-key.pem');
  const authorityPem = openssl(['x509', '-in', authority]).out;
  const files = filesOfNodes(stack);
  expect(files).toHaveLength(nodes);
  for (const node of files) {
    expectCertificateOf(authority, node);
    expect(node.read(ca)).toBe(authorityPem);
    expect(openssl(['req', '-in', node.path(request), '-verify', '-noout']).text).toContain('verify OK');
    expect(openssl(['req', '-in', node.path(request), '-pubkey', '-noout']).out).toBe(
      openssl(['pkey', '-in', node.path(key), '-pubout']).out,
    );
    expect(modesOf(node, 'ssl', certificate, ca, key, request)).toEqual({
      ssl: '0700',
      [certificate]: '0644',
      [ca]: '0644',
      [key]: '0600',
      [request]: '0644',
    });
    expect(node.settings()).toMatchObject({
      identity: node.identity,
      'plugin.security.provider': 'file',
      'plugin.security.file.certificate': node.path(certificate),
      'plugin.security.file.key': node.path(key),
      'plugin.security.file.ca': node.path(ca),
    });
  }
  const keys = files.map((node) => node.read(key));
  expect(new Set(keys).size).toBe(nodes);
  expect(loggedOf(stack, [...linesOf(keys), ...secretsOf(stack)])).toEqual([]);
});

test('a fleet with keys from the helper: each node has the very key, and nobody has printed a line of it', async (context) => {
  needsOpenssl(context);
  const folder = scratchFolder();
  const given = join(folder, 'given');
  mkdirSync(given);
  const command = [testHelper('own-key.sh'), quoteWord(given), quoteWord(signingCommand)].join(' ');
  const stack = await provision(
    { jwt: true },
    `env ${quoteWord(`X509_CA_DIR=${join(folder, 'ca')}`)} ${command}`,
  );

  const files = filesOfNodes(stack);
  expect(files).toHaveLength(nodes);
  const numbersOf = (path: string) => openssl(['pkey', '-in', path, '-noout', '-text']).out;
  for (const node of files) {
    expectCertificateOf(join(folder, 'ca/ca-with-key.pem'), node);
    expect(numbersOf(node.path(key))).toBe(numbersOf(join(given, node.identity, 'key.pem')));
    expect(node.read(key)).toMatch(/^-----BEGIN RSA PRIVATE KEY-----\n[A-Za-z0-9+/]{64}\n/);
    expect(node.has(request)).toBe(false);
    expect(modesOf(node, 'ssl', certificate, ca, key)).toEqual({
      ssl: '0700',
      [certificate]: '0644',
      [ca]: '0644',
      [key]: '0600',
    });
  }
  const keys = files.map((node) => readFileSync(join(given, node.identity, 'key.pem'), 'utf8'));
  expect(loggedOf(stack, [...linesOf(keys), ...secretsOf(stack)])).toEqual([]);
});
