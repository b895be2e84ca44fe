import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { runScript, started } from '../../test/fakes/script.js';

const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function fileWith(yaml: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-service-'));
  folders.push(folder);
  const file = join(folder, 'test.yaml');
  writeFileSync(file, yaml);
  return file;
}

const source = (file: string) => new URL(file, import.meta.url).href;

/** A service as small as one can be: the common settings, and a monitor port. */
const service = `
  import { z } from 'zod';
  import { commonFields, insecureWarnings } from '${source('../config/common.ts')}';
  import { loadConfig } from '${source('../config/load.ts')}';
  import { Metrics } from '${source('../metrics/registry.ts')}';
  import { startMonitor } from '${source('../monitor.ts')}';
  import { runService } from '${source('./run-service.ts')}';
  const schema = z.object(commonFields({ listen: '127.0.0.1:0', monitorPort: 0 }));
  await runService({
    name: 'test',
    load: (from) => loadConfig({ schema, service: 'test', source: from, warn: insecureWarnings }),
    logging: ({ site, loglevel, logfile }) => ({ service: 'test', site, level: loglevel, logfile }),
    nofile: () => 1e9,
    start: async ({ site, monitor_port }, log) => {
      const metrics = new Metrics({ site, service: 'test' });
      const ready = () => ({ ready: true });
      const monitor = await startMonitor({ host: '127.0.0.1', port: monitor_port, metrics, ready, log });
      return { addresses: { monitor: monitor.address }, stop: () => monitor.close() };
    },
  }, process);`;

describe('runService', () => {
  it('runs a service with its configuration until it is told to stop', async () => {
    const file = fileWith('tls: {mode: insecure}\nsite: lab\n');
    const run = runScript(service, { args: ['--config', file], env: { SLIPWAY_LOGLEVEL: 'debug' } });
    const { addresses } = (await run.line(started)) as { addresses: { monitor: string } };
    expect((await fetch(`http://${addresses.monitor}/readyz`)).status).toBe(200);
    run.kill('SIGTERM');
    const { code, messages } = await run.end();
    expect(code).toBe(0);
    expect(messages).toEqual([
      'starting',
      expect.stringMatching(/^tls\.mode is insecure: /),
      expect.stringMatching(/^this process may open only \d+ files/),
      expect.stringMatching(/^serving /),
      'started',
      'stopping',
      'stopped',
    ]);
  });

  it('prints every problem of a bad configuration and exits with 2', async () => {
    const file = fileWith('sitee: lab\nloglevel: loud\n');
    const { code, stderr, stdout } = await runScript(service, { args: ['--config', file] }).end();
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr.split('\n')).toEqual([
      `test: 3 problems in the configuration of test (${file} and the environment):`,
      '  sitee: unknown setting; did you mean site? (line 1)',
      '  loglevel: expected one of debug, info, warn, error, got the text "loud" (line 2)',
      expect.stringMatching(/^ {2}tls\.mode: TLS needs a certificate/),
      '',
    ]);
  });

  it('exits with 2 where the configuration, the log file or an argument cannot be used', async () => {
    const file = fileWith('tls: {mode: insecure}\nlogfile: /no/such.log\n');
    const ends = await Promise.all([
      runScript(service, { args: ['--config', '/no/such.yaml'] }).end(),
      runScript(service, { args: ['--config', file] }).end(),
      runScript(service, { args: ['--verbose'] }).end(),
    ]);
    expect(ends.map(({ code }) => code)).toEqual([2, 2, 2]);
    expect(ends.map(({ stderr }) => stderr)).toEqual([
      'test: 1 problem in /no/such.yaml (named by --config):\n  the configuration file does not exist\n',
      expect.stringMatching(/^test: logfile: cannot be opened: ENOENT/),
      expect.stringMatching(/^test: Unknown option '--verbose'.* \(--help tells more\)\n$/),
    ]);
  });

  it('says that a port is in use, by whom it is wanted and what to do, and exits with 1', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as { port: number };
    const env = { SLIPWAY_TLS_MODE: 'insecure', SLIPWAY_MONITOR_PORT: String(port) };
    const { code, stderr } = await runScript(service, { args: ['--config', fileWith('')], env }).end();
    other.close();
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `cannot start: cannot listen on 127.0.0.1:${port}: another program listens there already; stop it or configure another address\n`,
    });
  });

  it('prints its version and exits with 0', async () => {
    const { code, stdout } = await runScript(service, { args: ['--version'] }).end();
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^slipway test \d+\.\d+\.\d+\n$/),
    });
  });
});
