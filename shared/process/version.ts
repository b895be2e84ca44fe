// Which version of Slipway this is, for metrics, logs and --version.

import { readFileSync } from 'node:fs';

/**
 * The version in Slipway's package.json, which stands above the code both in the source tree and in dist/.
 *
 * @returns `unknown` where it was taken away
 */
export function productVersion(): string {
  for (const up of ['../../', '../../../']) {
    const found = versionIn(new URL(`${up}package.json`, import.meta.url));
    if (found !== undefined) return found;
  }
  return 'unknown';
}

function versionIn(file: URL): string | undefined {
  try {
    const { name, version } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
    return name === 'slipway' && typeof version === 'string' ? version : undefined;
  } catch {
    return undefined;
  }
}
