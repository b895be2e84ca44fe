import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { slipway, testFolder } from '../../test/fakes/fake-terminal.js';

function file(text: string): string {
  const path = join(testFolder(), 'slipway.yaml');
  writeFileSync(path, text);
  return path;
}

const insecure = 'tls: {mode: insecure}\n';

describe('slipway config check', () => {
  test('says that a configuration can be used, and what the service would warn about', async () => {
    const { code, out, err } = await slipway(['config', 'check', 'discovery', file(insecure)]);
    expect({ code, out }).toEqual({ code: 0, out: 'ok: discovery can start with it\n' });
    expect(err).toMatch(/^warning: tls\.mode is insecure: /m);
    expect(err).toMatch(/^warning: jwt_verify_cert is not set/m);
  });

  test('warns of a helper that cannot be started, which stops no service', async () => {
    const text = `${insecure}discovery: [d:1]\nhelper: no-such-helper.py --all\n`;
    const { code, err } = await slipway(['config', 'check', 'provisioner', file(text)]);
    expect(code).toBe(0);
    expect(err).toMatch(/^warning: helper .*no-such-helper\.py.*; nodes fail until it can be started$/m);
  });

  test('prints every problem with its path', async () => {
    const path = file('tls: {mode: insecure}\nworkers: 0\nhlper: x\ndiscovery: [d:1]\n');
    const { code, out, err } = await slipway(['config', 'check', 'provisioner', path]);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(`3 problems in the configuration of provisioner (${path} and the environment):`);
    for (const problem of ['  workers: expected', '  hlper: ', '  helper: is required'])
      expect(err).toContain(problem);
  });

  test('opens the files that it names, all of them', async () => {
    const text = 'tls: {cert: c.pem, key: k.pem, ca: ca.pem}\njwt_verify_cert: v.pem\ntargets: [list.txt]\n';
    const { code, err } = await slipway(['config', 'check', 'discovery', file(text)]);
    expect(code).toBe(2);
    for (const setting of ['tls.cert: ', 'tls.key: ', 'tls.ca: ', 'jwt_verify_cert: ', 'targets[0]: ']) {
      expect(err).toContain(`  ${setting}`);
    }
  });

  test('the environment counts', async () => {
    const env = { SLIPWAY_TLS_MODE: 'insecure', SLIPWAY_CONFIG: file(''), SLIPWAY_INTERVAL: 'often' };
    const { code, err } = await slipway(['config', 'check', 'discovery'], { env });
    expect(code).toBe(2);
    expect(err).toMatch(/interval: .*SLIPWAY_INTERVAL/);
  });

  test('a file that the environment names is told with the variable', async () => {
    const env = { SLIPWAY_TLS_CERT: '/no/such.pem' };
    const text = 'tls: {key: k.pem, ca: ca.pem}\n';
    const { code, err } = await slipway(['config', 'check', 'discovery', file(text)], { env });
    expect(code).toBe(2);
    expect(err).toMatch(/ {2}tls\.cert: \/no\/such\.pem: .*\(from SLIPWAY_TLS_CERT\)$/m);
    expect(err).toMatch(/ {2}tls\.key: [^\n]*ENOENT[^()]*$/m);
  });

  test('--json is for programs', async () => {
    const words = ['config', 'check', 'provisioner', file(`${insecure}discovery: [d:1]\n`), '--json'];
    const { code, out } = await slipway(words);
    expect(code).toBe(2);
    expect(JSON.parse(out)).toMatchObject({ ok: false, problems: [{ path: 'helper' }] });
  });

  test('a file that is not there, and a service that has none', async () => {
    expect(await slipway(['config', 'check', 'discovery', '/no/such.yaml'])).toMatchObject({
      code: 2,
      out: '',
    });
    expect(await slipway(['config', 'check', 'mock-node'])).toMatchObject({ code: 2 });
  });
});
