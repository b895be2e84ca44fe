// Proves that shared/gen is what `npm run generate` makes of proto/ now: generates into a folder of its
// own and compares. Exits 1 and names the files where it is not.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const committed = 'shared/gen';

/** @returns the content of each file below `root`, by its path relative to `root` */
function contents(root: string): ReadonlyMap<string, string> {
  const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(
    files.map((file) => {
      const path = join(file.parentPath, file.name);
      return [path.slice(root.length + 1), readFileSync(path, 'utf8')];
    }),
  );
}

/** @returns one line for each file that differs, sorted; empty where all are the same */
function differences(
  fresh: ReadonlyMap<string, string>,
  present: ReadonlyMap<string, string>,
): readonly string[] {
  return [...new Set([...fresh.keys(), ...present.keys()])].sort().flatMap((path) => {
    if (!present.has(path)) return [`missing:  ${committed}/${path}`];
    if (!fresh.has(path)) return [`left over: ${committed}/${path}`];
    return fresh.get(path) === present.get(path) ? [] : [`outdated: ${committed}/${path}`];
  });
}

function main(): void {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-generated-'));
  try {
    execFileSync('node_modules/.bin/buf', ['generate', '--output', folder], { stdio: 'inherit' });
    const stale = differences(contents(join(folder, committed)), contents(committed));
    if (stale.length === 0) return;
    process.stderr.write(
      `The generated code does not fit proto/. Run "npm run generate" and commit the result.\n${stale.join('\n')}\n`,
    );
    process.exitCode = 1;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

main();
