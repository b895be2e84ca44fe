import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { untilConfirmed } from './confirmed.js';
import { nodesOnDisk, notWhole } from './nodes-on-disk.js';
import { prepareStack, testHelper } from './workspace.js';

/** Helpers as sites of Choria Provisioner have them, and what each needs. */
const siteHelpers = [
  { language: 'sh', file: 'site.sh', needs: 'jq' },
  { language: 'python', file: 'site.py', needs: 'python3' },
  { language: 'ruby', file: 'site.rb', needs: 'ruby' },
  { language: 'perl', file: 'site.pl', needs: 'perl' },
] as const;

for (const { language, file, needs } of siteHelpers) {
  const missing = spawnSync(needs, ['--version']).status !== 0;
  test.skipIf(missing)(`an existing site's helper in ${language} configures nodes as it is`, async () => {
    const nodes = 5;
    const stack = await prepareStack({ nodes, helper: testHelper(file) });
    await stack.startAll();
    await untilConfirmed(stack, nodes, 60_000);
    const states = await nodesOnDisk(stack);
    expect(notWhole(states)).toEqual([]);
    for (const [identity, { settings }] of states) {
      expect(settings.get('identity')).toBe(identity);
      expect(settings.get('written_by')).toBe(language);
      expect(settings.get('collectives')).toMatch(/^mcollective,[a-z]+$/);
    }
  });
}
