// Starting another program of this product in a process of its own.

import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

/**
 * What `node` is to be called with to run a module as the caller itself runs: compiled, or from source under tsx.
 *
 * @param caller import.meta.url of the module that asks
 * @param module the module's place from there, without its extension: `./main`
 */
export function ownProgram(caller: string, module: string): readonly string[] {
  if (!caller.endsWith('.ts')) return [fileURLToPath(new URL(`${module}.js`, caller))];
  const tsx = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
  return ['--import', tsx, fileURLToPath(new URL(`${module}.ts`, caller))];
}
