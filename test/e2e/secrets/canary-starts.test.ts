// The secrets of a site, all of which can be recognised (marks.ts), where they are in the wrong place or of the wrong
// kind: what a service says that cannot start because of it, and what commands say (canary.test.ts has the rest).

import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeTrust } from '../../../cli/launch/trust.js';
import { slipway } from '../../fakes/fake-terminal.js';
import { listenAnywhere } from '../listen.js';
import { RotatingIssuer } from '../rotating-issuer.js';
import { tlsPathsIn } from '../rotating-trust.js';
import { scratchFolder } from '../scratch-folder.js';
import { CanarySecrets, pemAround } from './canary-secrets.js';
import { type FailedStart, startInVain } from './canary-starts.js';
import { findMarks } from './marks.js';

const debug = { loglevel: 'debug' };

test('no secret is told by a service that cannot start because of it', async () => {
  const folder = scratchFolder();
  const issuer = new RotatingIssuer(folder);
  const trust = await makeTrust(join(folder, 'trust'));
  const secrets = new CanarySecrets(trust, issuer);
  const { newest, older, broken } = secrets.texts;
  const write = (name: string, text: string) => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };
  const read = (path: string) => readFileSync(path, 'utf8').trim();
  const tls = tlsPathsIn(trust.certificates, 'provisioner');
  const token = await secrets.makeToken('boot.jwt', { cht: newest });
  const taken = await listenAnywhere(createServer(), '127.0.0.1');
  const base = {
    ...debug,
    tls,
    listen: `127.0.0.1:${taken}`,
    monitor_port: 0,
    discovery: ['127.0.0.1:1'],
    helper: 'sh',
    data_dir: join(folder, 'data'),
  };
  const signing = { features: { ed25519: true }, jwt_verify_cert: trust.verificationKey, ...issuer.paths };
  const brokenText = write('broken', broken.text);
  const brokenPem = write('broken.pem', pemAround(broken.text));
  const privatePem = write('private.pem', secrets.signingKeyPem);
  const inline = { jwt_signing_key: read(trust.signingKey), jwt_signing_token: read(token) };
  const starts: readonly FailedStart[] = [
    {
      name: 'secrets where none, or a path, is expected',
      service: 'provisioner',
      settings: {
        ...base,
        ...inline,
        token: [[newest.text], { value: older.text }],
        tokn: newest.text,
        tls: { cert: read(tls.cert) + read(tls.key), key: read(tls.key), ca: tls.ca },
        jwt_verify_cert: secrets.signingKeyPem,
      },
    },
    {
      name: 'the same from the environment',
      service: 'provisioner',
      settings: { ...base, ...signing, token_file: trust.secret },
      env: {
        SLIPWAY_TOKEN: `${newest.text},${older.text}`,
        SLIPWAY_TOKN: newest.text,
        SLIPWAY_JWT_SIGNING_KEY: inline.jwt_signing_key,
        SLIPWAY_TLS_KEY: read(tls.key),
      },
    },
    {
      name: 'files with something else in them',
      service: 'provisioner',
      settings: {
        ...base,
        ...signing,
        token: newest.text,
        tls: { cert: brokenPem, key: brokenPem, ca: privatePem },
        jwt_verify_cert: privatePem,
        jwt_signing_key: brokenText,
        jwt_signing_token: token,
      },
    },
    {
      name: 'a key that is not the one of the token',
      service: 'provisioner',
      settings: { ...base, ...signing, jwt_signing_key: trust.signingKey, token: newest.text },
    },
    { name: 'no file of secrets', service: 'provisioner', settings: { ...base, token_file: folder } },
    {
      name: 'broken YAML',
      service: 'provisioner',
      settings: `token:\n  - *${newest.text}\n  - "${older.text}\n`,
    },
    {
      name: 'a port that is taken',
      service: 'provisioner',
      settings: { ...base, ...signing },
      env: { SLIPWAY_TOKEN: `${newest.text},${older.text}` },
    },
    {
      name: 'a private key to verify with',
      service: 'discovery',
      settings: { ...debug, tls, jwt_verify_cert: privatePem, monitor_port: 0 },
    },
    {
      name: 'another secret than that of the token',
      service: 'mock-node',
      settings: ['--jwt-file', token, '--secret-file', write('secret', older.text), '--loglevel', 'debug'],
    },
    { name: 'no token', service: 'mock-node', settings: ['--jwt-file', brokenText] },
    { name: 'no CA', service: 'mock-node', settings: ['--jwt-file', token, '--ca', privatePem] },
  ];
  const results = await Promise.all(starts.map((start) => startInVain(folder, start)));
  for (const { name, code, said } of results) {
    expect([name, code === 1 || code === 2, said === '']).toEqual([name, true, false]);
  }
  const sources = results.map(({ name, said }) => ({ name, content: said }));
  expect(findMarks(secrets.all, sources)).toEqual([]);
});

test('no secret is told by a command, unless it was asked for', async () => {
  const folder = scratchFolder();
  const issuer = new RotatingIssuer(folder);
  const trust = await makeTrust(join(folder, 'trust'));
  const secrets = new CanarySecrets(trust, issuer);
  const { newest, broken, password } = secrets.texts;
  const token = await secrets.makeToken('boot.jwt', { cht: newest });
  const brokenFile = join(folder, 'broken');
  writeFileSync(brokenFile, pemAround(broken.text));
  const results = [
    await slipway(['token', 'view', token]),
    await slipway(['token', 'view', '--json', token]),
    await slipway(['token', 'view', brokenFile]),
    await slipway(['token', 'verify', '--key', trust.verificationKey, token]),
    await slipway(['token', 'verify', '--key', trust.signingKey, token]),
    await slipway(['token', 'verify', '--key', brokenFile, token]),
    await slipway(['token', 'provisioning', '--signing-key', brokenFile, join(folder, 'a.jwt')]),
    await slipway(['token', 'provisioning', '--signing-key', token, join(folder, 'b.jwt')]),
    await slipway([
      ...['token', 'provisioning', '--signing-key', trust.signingKey, '--secret-file', trust.secret],
      ...['--password-file', brokenFile, '--ca', tlsPathsIn(trust.certificates, 'viewer').key],
      join(folder, 'c.jwt'),
    ]),
    await slipway(['certs', 'dev', trust.certificates, '--force']),
  ];
  expect(results.map(({ code }) => code)).toEqual([0, 0, 1, 0, 2, 2, 2, 2, 2, 0]);
  const sources = results.map(({ out, err }, index) => ({ name: `command ${index}`, content: out + err }));
  expect(findMarks(secrets.all, sources)).toEqual([]);

  const { out } = await slipway(['token', 'view', '--show-secrets', token]);
  expect(findMarks([newest, password], [{ name: 'all of it', content: out }])).toHaveLength(2);
});
