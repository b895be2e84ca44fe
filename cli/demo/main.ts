// `npm run demo`: the only place of the demo that touches the process. Exit codes: 0 every node is confirmed,
// 1 any is not, 2 the command line is wrong.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Stack } from '../launch/stack.js';
import { followDemo, prepareDemo } from './demo.js';
import { type DemoOptions, parseDemoOptions, UsageError, usage } from './options.js';
import { type DemoResult, summaryLines } from './summary.js';

process.exitCode = await main();

async function main(): Promise<number> {
  const options = readOptions();
  if (typeof options === 'number') return options;
  const directory = mkdtempSync(join(tmpdir(), 'slipway-demo-'));
  const stack = await prepareDemo(options, directory);
  const stop = stopOnSignals(stack);
  let result: DemoResult | undefined;
  try {
    say(`starting discovery, the provisioner and ${options.nodes} nodes; all they write is in ${directory}`);
    await stack.startAll(stop);
    result = await followDemo(stack, options.nodes, process.stdout, stop);
    for (const line of summaryLines(result, readFileSync(stack.logFile('provisioner'), 'utf8'))) say(line);
    if (options.keep && !stop.aborted) await keepUp(stack, stop);
  } catch (error) {
    if (!stop.aborted) process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  } finally {
    await stack.endAll();
  }
  if (result?.progress.confirmed === options.nodes) {
    rmSync(directory, { recursive: true, force: true });
    return 0;
  }
  say(`what each service said, and the nodes' files, are left in ${directory}`);
  return 1;
}

/** @returns the exit code where there is nothing to run */
function readOptions(): DemoOptions | number {
  try {
    const options = parseDemoOptions(process.argv.slice(2));
    if (options !== undefined) return options;
    process.stdout.write(usage);
    return 0;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`${error.message}\n\n${usage}`);
    return 2;
  }
}

/** The first signal ends the demo in order, the next one kills what is left. */
function stopOnSignals(stack: Stack): AbortSignal {
  const stop = new AbortController();
  const onSignal = () => {
    if (stop.signal.aborted) stack.killAll();
    stop.abort();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal);
  // Whoever read along is gone: there is nobody left to show anything to.
  process.stdout.on('error', () => stop.abort());
  return stop.signal;
}

async function keepUp({ ports, trust }: Stack, stop: AbortSignal): Promise<void> {
  say('kept up until Ctrl-C:');
  say(
    `  discovery     127.0.0.1:${ports.consumers}, metrics http://127.0.0.1:${ports.discoveryMonitor}/metrics`,
  );
  say(
    `  provisioner   127.0.0.1:${ports.provisioner}, metrics http://127.0.0.1:${ports.provisionerMonitor}/metrics`,
  );
  if (trust !== undefined)
    say(`  certificates  ${trust.certificates} (operator.pem and operator-key.pem are yours)`);
  await new Promise<void>((resolve) => stop.addEventListener('abort', () => resolve(), { once: true }));
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
