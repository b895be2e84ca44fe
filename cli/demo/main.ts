// `npm run demo`: the only place of the demo that touches the process.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prepareDemo, runDemo } from './demo.js';
import { parseDemoOptions } from './options.js';

process.exitCode = await main();

async function main(): Promise<number> {
  let options: ReturnType<typeof parseDemoOptions>;
  try {
    options = parseDemoOptions(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    return 2;
  }
  const directory = mkdtempSync(join(tmpdir(), 'slipway-demo-'));
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop.abort());
  const stack = await prepareDemo(options, directory);
  process.stdout.write(`${options.nodes} nodes; configuration, logs and the nodes' files: ${directory}\n`);
  let confirmed = 0;
  try {
    const result = await runDemo(stack, options.nodes, process.stdout, stop.signal);
    confirmed = result.confirmed;
    process.stdout.write(
      `${result.confirmed} of ${options.nodes} nodes confirmed in ${result.seconds.toFixed(1)} s, ` +
        `${result.failedRuns} failed runs\n`,
    );
    if (options.keep && !stop.signal.aborted) {
      process.stdout.write(
        `kept up: discovery 127.0.0.1:${stack.ports.consumers}, provisioner 127.0.0.1:${stack.ports.provisioner}, ` +
          `metrics http://127.0.0.1:${stack.ports.provisionerMonitor}/metrics; Ctrl-C ends it\n`,
      );
      await aborted(stop.signal);
    }
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  } finally {
    await stack.endAll();
  }
  if (confirmed < options.nodes) {
    process.stderr.write(
      `${options.nodes - confirmed} nodes were not confirmed; see the logs in ${directory}\n`,
    );
    return 1;
  }
  rmSync(directory, { recursive: true, force: true });
  return 0;
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
