// The example helpers, and helpers as existing sites have them, through the real thing.

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { HelperInput } from '../../services/provisioner/helper/helper.js';
import { ask, HelperBench, inputOf } from './helper-support.js';

let bench: HelperBench;

beforeEach(async () => {
  bench = await HelperBench.open();
});

afterEach(async () => {
  await bench.close();
});

function projectFile(path: string): string {
  return fileURLToPath(new URL(`../../${path}`, import.meta.url));
}

function isInstalled(program: string): boolean {
  return spawnSync(program, ['--version']).status === 0;
}

function withFacts(facts: string): HelperInput {
  const input = inputOf();
  return { ...input, inventory: { ...input.inventory, factsJson: facts } };
}

test('the minimal example configures every node', async () => {
  const reply = await ask(bench.helper([projectFile('examples/helpers/minimal.sh')]));
  expect('configuration' in reply && reply.configuration.get('plugin.choria.server.provision')).toBe('false');
});

const tsx = ['node', '--import', 'tsx'] as const;

describe.each([
  ['Python', 'python3', 'exec', [projectFile('examples/helpers/facts.py')]],
  ['Ruby', 'ruby', 'exec', [projectFile('examples/helpers/facts.rb')]],
  ['TypeScript', 'node', 'exec', [...tsx, projectFile('examples/helpers/facts.ts')]],
  ['Python', 'python3', 'persistent', [projectFile('examples/helpers/facts-lines.py')]],
  ['TypeScript', 'node', 'persistent', [...tsx, projectFile('examples/helpers/facts-lines.ts')]],
] as const)('the example in %s', (_language, interpreter, mode, command) => {
  test.skipIf(!isInstalled(interpreter))(`decides by the facts (helper_mode: ${mode})`, async () => {
    const helper = bench.helper(command, { mode });
    expect(await ask(helper, withFacts('{"role":"web"}'))).toMatchObject({
      defer: false,
      configuration: new Map([
        ['plugin.choria.server.provision', 'false'],
        ['identity', 'n1.example.net'],
        ['collectives', 'mcollective,web'],
        ['registerinterval', '300'],
      ]),
    });
    expect(await ask(helper, withFacts('{}'))).toMatchObject({ defer: false, shutdown: false });
    expect(await ask(helper, withFacts('{"retired":true}'))).toMatchObject({ shutdown: true });
    expect(await ask(helper, withFacts('{"role":"unassigned"}'))).toMatchObject({
      defer: true,
      retryAfterMs: 600_000,
    });
    const running = (await bench.programs()).map(({ command: words }) => words);
    expect(running).toHaveLength(mode === 'persistent' ? 1 : 0);
  });
});

describe.each([
  ['sh', 'jq', 'site.sh'],
  ['python', 'python3', 'site.py'],
  ['ruby', 'ruby', 'site.rb'],
  ['perl', 'perl', 'site.pl'],
] as const)('a helper of an existing site in %s', (language, needs, file) => {
  test.skipIf(!isInstalled(needs))('works as it is', async () => {
    const helper = bench.helper([projectFile(`test/e2e/helpers/${file}`)]);
    const reply = await ask(helper, withFacts('{"os":{"family":"Debian"},"serial_number":9007199254740993}'));
    expect(reply).toMatchObject({ defer: false, msg: 'Done', certificate: '' });
    const configuration = 'configuration' in reply ? reply.configuration : new Map();
    expect(Object.fromEntries(configuration)).toMatchObject({
      identity: 'n1.example.net',
      'plugin.choria.server.provision': 'false',
      collectives: 'mcollective,debian',
      written_by: language,
      // jq may round large integers; the others pass on what the node sent.
      ...(language !== 'sh' && { serial: '9007199254740993' }),
    });
    expect(await ask(helper, withFacts('{}'))).toMatchObject({ defer: true, configuration: new Map() });
  });
});
