// Where the built project is, from wherever this code runs: source or dist/.

import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The services that can be launched. */
export type ServiceName = 'discovery' | 'provisioner' | 'mock-node';

/** @returns the absolute path of the folder that holds package.json */
export function projectRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error(`no package.json above ${import.meta.url}`);
    folder = parent;
  }
  return folder;
}

/**
 * @returns the absolute path of a service's built entry point
 * @throws Error that says what to run where the project is not built
 */
export function entryPoint(service: ServiceName): string {
  return builtFile(`services/${service}/main.js`);
}

/**
 * @returns options of Node.js for a service, as its container has them. What the provisioner makes for a run is short-lived:
 *   with four times the room it is collected that much less often.
 */
export function nodeOptions(service: ServiceName): readonly string[] {
  return service === 'provisioner' ? ['--max-semi-space-size=64'] : [];
}

/**
 * @param path below dist/
 * @returns the absolute path of a built file
 * @throws Error that says what to run where the project is not built
 */
export function builtFile(path: string): string {
  const file = join(projectRoot(), 'dist', path);
  if (!existsSync(file)) throw new Error(`${file} is not there: run "npm run build" first`);
  return file;
}
