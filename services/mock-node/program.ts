// The mock node as it runs in a process: command line, then the nodes until a signal, or until all of them
// were shut down.

import { hostname } from 'node:os';
import { createLogger } from '../../shared/logger.js';
import { warnOfFewFiles } from '../../shared/process/nofile.js';
import { runProcess } from '../../shared/process/run-process.js';
import { productVersion } from '../../shared/process/version.js';
import { createApp } from './app.js';
import { FlagError, type MockNodeConfig, parseFlags, warningsOf } from './config.js';
import { usage } from './flags.js';

/** Runs the nodes until they are told to stop; with `--help` prints the usage. Bad flags exit with 2. */
export async function runMockNode(process: NodeJS.Process): Promise<void> {
  const config = readConfig(process);
  if (config === undefined) {
    process.stdout.write(usage);
    return;
  }
  const log = createLogger({
    service: 'mock-node',
    site: 'default',
    level: config.logLevel,
    logfile: 'stdout',
  });
  log.info({ version: productVersion(), node: process.version }, 'starting');
  for (const warning of warningsOf(config)) log.warn(warning);
  if (config.addressing === 'PORTS') warnOfFewFiles(2 * config.identities.length + 100, log);
  let readFaults = async () => {};
  if (config.faultFile !== undefined) process.on('SIGHUP', () => void readFaults());
  const start = async () => {
    const app = await createApp(config, log);
    readFaults = app.readFaults;
    return app;
  };
  await runProcess({ log, start }, process);
}

function readConfig(process: NodeJS.Process): MockNodeConfig | undefined {
  try {
    return parseFlags(process.argv.slice(2), hostname());
  } catch (error) {
    if (!(error instanceof FlagError)) throw error;
    process.stderr.write(`${error.message}\n(--help tells more)\n`);
    process.exit(2);
  }
}
