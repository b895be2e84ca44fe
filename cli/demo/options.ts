// The demo's command line.

import { parseArgs } from 'node:util';

export interface DemoOptions {
  /** How many nodes, 1 to 20,000. */
  readonly nodes: number;
  /** Keep everything running after the last node is confirmed. */
  readonly keep: boolean;
}

const usage = 'usage: npm run demo -- [--nodes N] [--keep]';

/**
 * @param args the arguments after the program's name
 * @throws Error with a sentence and the usage
 */
export function parseDemoOptions(args: readonly string[]): DemoOptions {
  const { values } = read(args);
  const nodes = Number(values.nodes);
  if (!Number.isInteger(nodes) || nodes < 1 || nodes > 20_000) {
    throw new Error(`--nodes ${values.nodes}: expected a whole number from 1 to 20000\n${usage}`);
  }
  return { nodes, keep: values.keep };
}

function read(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        nodes: { type: 'string', default: '25' },
        keep: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : String(error)}\n${usage}`);
  }
}
