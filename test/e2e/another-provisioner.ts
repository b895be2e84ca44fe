// A provisioner beside a stack's own, with the same settings but for those that are given: what happens where somebody
// starts one too many.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { parse, stringify } from 'yaml';
import { freePorts } from '../../cli/launch/ports.js';
import { isReady } from '../../cli/launch/scrape.js';
import { launch, type ServiceProcess } from '../../cli/launch/service-process.js';
import type { Stack } from '../../cli/launch/stack.js';
import { until } from '../../cli/launch/until.js';

/** Starts it, and resolves when it is ready. It is ended after the test. */
export async function startAnotherProvisioner(
  stack: Stack,
  settings: Readonly<Record<string, unknown>>,
): Promise<ServiceProcess> {
  const ports = await freePorts(['listen', 'monitor']);
  const config = join(stack.directory, 'provisioner-2.yaml');
  const ownFolder = join(stack.directory, 'provisioner-2-data');
  writeFileSync(
    config,
    stringify({
      ...parse(readFileSync(stack.configFile('provisioner'), 'utf8')),
      listen: `127.0.0.1:${ports.listen}`,
      monitor_port: ports.monitor,
      data_dir: ownFolder,
      ...settings,
    }),
  );
  const started = await launch({
    service: 'provisioner',
    args: ['--config', config],
    logFile: join(stack.directory, 'provisioner-2.log'),
  });
  onTestFinished(async () => void (await started.end('SIGKILL')));
  await until(() => isReady(ports.monitor), { what: 'the other provisioner is ready', timeoutMs: 60_000 });
  return started;
}
