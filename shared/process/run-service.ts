// What main.ts of a service calls: command line, configuration, logger, then the app for as long as the process
// lives. A service is a value of type Service; nothing here knows any of them.

import { ConfigError } from '../config/config-error.js';
import type { ConfigSource, Loaded } from '../config/load.js';
import { tellingVariables } from '../config/origin.js';
import { createLogger, type Logger, type LoggerOptions } from '../logger.js';
import { parseCommand } from './arguments.js';
import { limitHeapGrowth } from './heap.js';
import { warnOfFewFiles } from './nofile.js';
import { type App, runProcess } from './run-process.js';
import { productVersion } from './version.js';

export interface Service<Config> {
  /** `discovery`: names the default configuration file. */
  readonly name: string;
  /** @throws ConfigError */
  load(source: ConfigSource): Loaded<Config>;
  logging(config: Config): LoggerOptions;
  /** How many files and sockets the service may need; with fewer it warns. */
  nofile?(config: Config): number;
  /**
   * @throws ListenError, StartError where whoever runs the service can mend it: shown as a sentence, exit 1
   * @throws ConfigError exit 2
   */
  start(config: Config, log: Logger): Promise<App>;
}

/**
 * Runs a service until it is told to stop; never returns otherwise. Exit codes: 0 stopped as asked, 1 crashed
 * or could not start, 2 bad configuration or command line (design, section 11).
 */
export async function runService<Config>(service: Service<Config>, process: NodeJS.Process): Promise<void> {
  const command = parseCommand(service.name, process.argv.slice(2));
  switch (command.kind) {
    case 'print':
      process.stdout.write(`${command.text}\n`);
      return;
    case 'wrong':
      process.stderr.write(`${service.name}: ${command.text} (--help tells more)\n`);
      process.exit(2);
      break;
    case 'run': {
      limitHeapGrowth();
      const { config, warnings } = loadOrExit(service, command.config, process);
      const log = loggerOrExit(service.logging(config), process);
      log.info({ version: productVersion(), node: process.version }, 'starting');
      for (const warning of warnings) log.warn(warning);
      if (service.nofile !== undefined) warnOfFewFiles(service.nofile(config), log);
      const start = () => tellingVariables(process.env, () => service.start(config, log));
      await runProcess({ log, start }, process);
    }
  }
}

function loadOrExit<Config>(service: Service<Config>, file: string | undefined, process: NodeJS.Process) {
  try {
    return service.load({ file, env: process.env });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${service.name}: ${error.message}\n`);
    process.exit(2);
  }
}

function loggerOrExit(options: LoggerOptions, process: NodeJS.Process): Logger {
  try {
    return createLogger(options);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    process.stderr.write(`${options.service}: logfile: cannot be opened: ${why}\n`);
    process.exit(2);
  }
}
