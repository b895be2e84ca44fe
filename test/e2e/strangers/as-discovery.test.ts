// Strangers who stand where discovery should be: neither nodes nor the provisioner tell them anything.

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { freePorts } from '../../../cli/launch/ports.js';
import type { Stack } from '../../../cli/launch/stack.js';
import { launchNode, logOfNode } from '../lone-node.js';
import { prepareStack, testHelper } from '../workspace.js';
import { expired, FalseDiscovery, ofAnotherCa, ofFalseCa, ofSite } from './discoveries.js';
import { type LogLine, untilLine } from './log.js';
import { fleetToken } from './reports.js';

interface Stranger {
  start(stack: Stack, port: number): Promise<FalseDiscovery>;
  /** What a node says of it that knows the CA by its hash, and what those say that have the certificate. */
  readonly byHash: RegExp;
  readonly byCertificate: RegExp;
}

const strangers: Readonly<Record<string, Stranger>> = {
  'of-another-ca': {
    start: async (_stack, port) => FalseDiscovery.showing(port, await ofAnotherCa()),
    byHash: /the peer presents no certificate with the hash [0-9a-f]{64}/,
    byCertificate: /TLS: self-signed certificate in certificate chain/,
  },
  'of-false-ca': {
    start: async (stack, port) => FalseDiscovery.showing(port, await ofFalseCa(stack)),
    byHash: /TLS: certificate signature failure/,
    byCertificate: /TLS: certificate signature failure/,
  },
  'of-a-viewer': {
    start: (stack, port) => FalseDiscovery.showing(port, ofSite(stack, 'viewer')),
    byHash: /TLS: unsuitable certificate purpose/,
    byCertificate: /TLS: unsuitable certificate purpose/,
  },
  expired: {
    start: async (stack, port) => FalseDiscovery.showing(port, await expired(stack)),
    byHash: /TLS: certificate has expired/,
    byCertificate: /TLS: certificate has expired/,
  },
  'of-old-tls': {
    start: (stack, port) => {
      return FalseDiscovery.showing(port, { ...ofSite(stack, 'discovery'), maxVersion: 'TLSv1.2' });
    },
    byHash: /TLS: .*protocol version/,
    byCertificate: /TLS: .*protocol version/,
  },
  plain: {
    start: (_stack, port) => FalseDiscovery.plain(port),
    byHash: /TLS: /,
    byCertificate: /TLS: /,
  },
};

const names = Object.keys(strangers);

test('nodes and the provisioner tell a false discovery nothing, and say what is wrong with it', async () => {
  const ports = await freePorts([...names, ...names.map((name) => `node at ${name}`)]);
  const addressOf = (name: string) => `127.0.0.1:${ports[name]}`;
  const stack = await prepareStack({
    nodes: 1,
    tls: 'required',
    helper: testHelper('stamped.sh'),
    provisioner: { discovery: names.map(addressOf) },
  });
  const started = await Promise.all(
    Object.entries(strangers).map(async ([name, { start, ...says }]) => {
      return { name, says, stranger: await start(stack, ports[name] ?? 0) };
    }),
  );
  const identityOf = (name: string) => `at-${name}.example.net`;
  await stack.start('provisioner', { untilReady: false });
  await Promise.all(
    names.map((name) =>
      launchNode(stack, {
        identity: identityOf(name),
        port: ports[`node at ${name}`] ?? 0,
        discovery: addressOf(name),
      }),
    ),
  );

  for (const { name, says, stranger } of started) {
    const node = await untilLine(logOfNode(stack, identityOf(name)), ({ level }) => level === 'warn');
    expect([name, node.msg]).toEqual([name, expect.stringMatching(/a report did not get through: /)]);
    expect([name, node.msg]).toEqual([name, expect.stringMatching(says.byHash)]);
    const isOfIt = ({ discovery }: LogLine) => discovery === addressOf(name);
    const { why } = await untilLine(stack.logFile('provisioner'), isOfIt);
    expect([name, why]).toEqual([name, expect.stringMatching(says.byCertificate)]);
    // They come again, and it is the same each time.
    await expect.poll(() => stranger.seen.connections, { timeout: 30_000 }).toBeGreaterThan(4);
    if (name === 'plain') expectGreetings(stranger.read, stack);
    else expect([name, stranger.read.toString('latin1')]).toEqual([name, '']);
  }
});

test('who knows the CA by its certificate tells a false discovery nothing, and the true one everything', async () => {
  const ports = await freePorts(['false', 'true', 'atFalse', 'atTrue']);
  const stack = await prepareStack({ nodes: 1, tls: 'required', helper: testHelper('stamped.sh') });
  const stranger = await FalseDiscovery.showing(ports.false, await ofFalseCa(stack));
  // What it reads shows that the others could have read something.
  const discovery = await FalseDiscovery.showing(ports.true, ofSite(stack, 'discovery'));
  const flags = ['--ca', join(stack.trust?.certificates ?? '', 'ca.pem')];
  const node = { identity: 'misled.example.net', port: ports.atFalse, discovery: `127.0.0.1:${ports.false}` };
  await launchNode(stack, { ...node, flags });
  await launchNode(stack, {
    identity: 'well-led.example.net',
    port: ports.atTrue,
    discovery: `127.0.0.1:${ports.true}`,
    flags,
  });
  const { msg } = await untilLine(logOfNode(stack, node.identity), ({ level }) => level === 'warn');
  expect(msg).toContain('certificate signature failure');
  await expect
    .poll(() => discovery.read.toString('latin1'), { timeout: 30_000 })
    .toMatch(/^PRI \* HTTP\/2\.0/);
  expect(stranger.read.toString('latin1')).toBe('');
});

/** In the clear there are greetings of TLS, and nothing that is worth anything. */
function expectGreetings(read: Buffer, stack: Stack): void {
  const text = read.toString('latin1');
  expect(read.subarray(0, 2).toString('hex')).toBe('1603');
  expect(text).not.toContain('PRI * HTTP/2.0');
  expect(text).not.toContain('example.net');
  expect(text).not.toContain(fleetToken(stack).slice(-40));
}
