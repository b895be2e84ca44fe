import { execFile } from 'node:child_process';
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { projectRoot } from '../../cli/launch/project.js';
import { quoteWord } from '../../cli/launch/quote.js';
import type { Stack } from '../../cli/launch/stack.js';
import { until } from '../../cli/launch/until.js';
import { untilConfirmed } from './confirmed.js';
import { LogLines } from './log-lines.js';
import { scratchFolder } from './scratch-folder.js';
import { prepareStack } from './workspace.js';

const nodes = 60;
const limit = 5;

const broken = "#!/bin/sh\necho 'the inventory database is away' >&2\nexit 1\n";
const mended =
  '#!/bin/sh\ncat >/dev/null\necho \'{"configuration": {"plugin.choria.server.provision": "false"}}\'\n';

test('a helper that fails for every node stops all runs, and when it is mended all nodes are configured', async () => {
  const helper = join(scratchFolder(), 'helper.sh');
  replace(helper, broken);
  const stack = await prepareStack({
    nodes,
    helper: quoteWord(helper),
    provisioner: { helper_breaker: limit, interval: '5s' },
    discovery: { interval: '5s' },
  });
  await stack.startAll();
  const log = new LogLines(stack.logFile('provisioner'));
  await log.said('the helper fails for every node');
  const failedAtOpening = await runs(stack, 'FAILED');
  expect(failedAtOpening).toBe(limit - 1);

  // Three probes.
  await until(() => log.count('"step":"HELPER"') >= limit + 3, { what: 'it is tried', timeoutMs: 60_000 });
  expect(await slipway(stack, 'status')).toMatch(
    /helper +fails: no run has started for .*failures in a row; tried again .*HELPER_EXIT: .*the inventory database is away/s,
  );
  const why = await slipway(stack, 'why', await waitingNode(stack));
  expect(why).toMatch(/It waits for the helper to work again/);
  expect(why).toMatch(/What to do: Mend the helper/);
  expect(await runs(stack, 'FAILED')).toBe(failedAtOpening);
  expect(
    (await stack.metrics('provisioner'))?.sum('slipway_provisioner_hosts', { state: 'backing_off' }),
  ).toBe(0);

  replace(helper, mended);
  const mendedAt = performance.now();
  await untilConfirmed(stack, nodes, 60_000);
  const seconds = (performance.now() - mendedAt) / 1_000;
  process.stdout.write(`${nodes} nodes confirmed ${seconds.toFixed(1)} s after the helper was mended\n`);
  expect(log.count('the helper works again')).toBe(1);
  expect(log.count('the helper fails for every node')).toBe(1);
  expect(await runs(stack, 'FAILED')).toBe(failedAtOpening);
  expect(await slipway(stack, 'status')).toMatch(/helper +works/);
});

/** Never half of it is there. */
function replace(path: string, script: string): void {
  writeFileSync(`${path}.new`, script, { mode: 0o755 });
  renameSync(`${path}.new`, path);
}

async function runs(stack: Stack, outcome: string): Promise<number | undefined> {
  return (await stack.metrics('provisioner'))?.sum('slipway_provisioner_runs_total', { outcome });
}

/** One that is in the queue; the first in it may be tried with at any moment. */
async function waitingNode(stack: Stack): Promise<string> {
  const queued = JSON.parse(await slipway(stack, 'hosts', '--state', 'queued', '--json'));
  const [, , third] = queued.hosts as readonly { readonly identity: string }[];
  return third?.identity ?? '';
}

/** @returns what the command prints */
async function slipway(stack: Stack, ...args: readonly string[]): Promise<string> {
  const connection = ['--provisioner', `127.0.0.1:${stack.ports.provisioner}`, '--insecure'];
  const command = [join(projectRoot(), 'dist/cli/main.js'), ...args, ...connection];
  const { stdout } = await promisify(execFile)(process.execPath, command);
  return stdout;
}
