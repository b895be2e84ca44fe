// The command line of a service: little more than where its configuration is.

import { parseArgs } from 'node:util';
import { productVersion } from './version.js';

/** What a command line asks for. */
export type Command =
  | { readonly kind: 'run'; readonly config: string | undefined }
  | { readonly kind: 'print'; readonly text: string }
  | { readonly kind: 'wrong'; readonly text: string };

/**
 * Reads the command line of a service.
 *
 * @param words what follows the program's name
 */
export function parseCommand(service: string, words: readonly string[]): Command {
  try {
    const { values } = parseArgs({
      args: [...words],
      options: {
        config: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
        version: { type: 'boolean' },
      },
    });
    if (values.help === true) return { kind: 'print', text: usage(service) };
    if (values.version === true) return { kind: 'print', text: `slipway ${service} ${productVersion()}` };
    if (values.config === '') return { kind: 'wrong', text: '--config needs the path of a file' };
    return { kind: 'run', config: values.config };
  } catch (error) {
    return { kind: 'wrong', text: error instanceof Error ? error.message : String(error) };
  }
}

function usage(service: string): string {
  return `Usage: slipway ${service} [--config FILE]

  --config FILE  the configuration, YAML; else SLIPWAY_CONFIG, else /etc/slipway/${service}.yaml
  --version      print the version
  -h, --help     print this

Every setting may also come from the environment, which wins: SLIPWAY_TLS_MODE for tls.mode.
Exit codes: 0 stopped as asked, 1 crashed or could not start, 2 bad configuration.`;
}
