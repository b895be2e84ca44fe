// The demo's command line.

import { parseArgs } from 'node:util';

export interface DemoOptions {
  /** How many nodes, 1 to 20,000. */
  readonly nodes: number;
  /** Command line of the helper; undefined for the example's. */
  readonly helper: string | undefined;
  /** Keep everything running after the last node is confirmed. */
  readonly keep: boolean;
  /** Without encryption, tokens and keys. */
  readonly insecure: boolean;
}

/** The command line cannot be used. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export const usage = `usage: npm run demo -- [--nodes N] [--helper COMMAND] [--keep] [--insecure]

Starts discovery, the provisioner and a swarm of nodes on loopback, and follows the nodes until each came up
with its configuration. Exits with 0 when all did, with 1 when any did not. Connections are encrypted, and each node
shows a token and gets one of its own; certificates and keys are made for this demo alone.

  --nodes N           how many nodes, 1 to 20000 (25)
  --helper COMMAND    your own helper, for instance "python3 /path/to/helper.py" (the example's)
  --keep              keeps everything running at the end, until Ctrl-C
  --insecure          without encryption, tokens and keys
  --help              prints this
`;

/**
 * @param args the arguments after the program's name
 * @returns undefined where --help was asked for
 * @throws UsageError with a sentence
 */
export function parseDemoOptions(args: readonly string[]): DemoOptions | undefined {
  const values = read(args);
  if (values.help) return undefined;
  const nodes = /^\d{1,5}$/.test(values.nodes) ? Number(values.nodes) : 0;
  if (nodes < 1 || nodes > 20_000) {
    throw new UsageError(`--nodes ${values.nodes}: expected a whole number from 1 to 20000`);
  }
  if (values.helper?.trim() === '') throw new UsageError('--helper: expected a command line');
  return { nodes, helper: values.helper, keep: values.keep, insecure: values.insecure };
}

function read(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        nodes: { type: 'string', default: '25' },
        helper: { type: 'string' },
        keep: { type: 'boolean', default: false },
        insecure: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}
