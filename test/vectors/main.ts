// `npm run vectors -- DIR`: checks this build against every known vector file in DIR, by default the
// project's own. Exit code 0 where all pass, 1 where a case fails, 2 where DIR or a file cannot be used.

import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runVectors, VectorsError } from './run-vectors.js';

const ownFolder = fileURLToPath(new URL('.', import.meta.url));
// npm runs scripts in the project's folder; a relative DIR is meant from where npm was called.
const { npm_lifecycle_event: script, INIT_CWD: calledFrom } = process.env;
const base = script === 'vectors' && calledFrom !== undefined ? calledFrom : process.cwd();
const [folder, ...rest] = process.argv.slice(2);

process.exitCode =
  rest.length > 0 || folder?.startsWith('-')
    ? refuse('expected one folder (usage: npm run vectors -- [DIR])')
    : await check(folder);

async function check(given: string | undefined): Promise<number> {
  try {
    const totals = await runVectors(given === undefined ? ownFolder : resolve(base, given), (line) => {
      process.stdout.write(`${line}\n`);
    });
    if (totals.malformed > 0) return 2;
    return totals.failed > 0 ? 1 : 0;
  } catch (error) {
    if (error instanceof VectorsError) return refuse(error.message);
    throw error;
  }
}

function refuse(message: string): number {
  process.stderr.write(`vectors: ${message}\n`);
  return 2;
}
