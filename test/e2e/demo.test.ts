import { type ChildProcess, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { builtFile, projectRoot } from '../../cli/launch/project.js';
import { until } from '../../cli/launch/until.js';
import { processesWith } from './processes.js';
import { testHelper } from './workspace.js';

interface Demo {
  readonly child: ChildProcess;
  readonly output: () => string;
  readonly exited: Promise<number | NodeJS.Signals | null>;
}

/** Runs a program that ends, with all it started, when this process does. */
function run(command: string, args: readonly string[]): Demo {
  const child = spawn(command, args, { cwd: projectRoot(), stdio: ['pipe', 'pipe', 'pipe'] });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  child.stderr.on('data', (chunk) => {
    output += chunk;
  });
  const exited = new Promise<number | NodeJS.Signals | null>((resolve) => {
    child.once('close', (code, signal) => resolve(code ?? signal));
  });
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await exited;
    const directory = directoryIn(output);
    if (directory !== undefined) rmSync(directory, { recursive: true, force: true });
  });
  return { child, output: () => output, exited };
}

function startDemo(...flags: string[]): Demo {
  const follow = pathToFileURL(builtFile('cli/launch/follow-launcher.js')).href;
  return run(process.execPath, ['--import', follow, builtFile('cli/demo/main.js'), ...flags]);
}

function directoryIn(output: string): string | undefined {
  return /\/\S*slipway-demo-\w+/.exec(output)?.[0];
}

/** Resolves with the demo's folder once it says this. */
async function untilSaid({ output }: Demo, text: string): Promise<string> {
  await until(() => output().includes(text), { what: text, timeoutMs: 60_000 });
  return directoryIn(output()) ?? expect.fail('it names no folder');
}

test('npm run demo ends with all 25 nodes confirmed, and leaves nothing behind', async () => {
  const demo = run('npm', ['run', 'demo']);
  expect(await demo.exited, demo.output()).toBe(0);
  expect(demo.output()).toContain('25 of 25 nodes confirmed');
  expect(processesWith(directoryIn(demo.output()) ?? 'slipway-demo-')).toEqual([]);
});

test('a helper that fails every node: exit code 1, soon, with the reason and what the helper said', async () => {
  const began = performance.now();
  const demo = startDemo('--nodes', '10', '--helper', testHelper('refusing.sh'));
  expect(await demo.exited, demo.output()).toBe(1);
  expect(performance.now() - began).toBeLessThan(40_000);
  expect(demo.output()).toContain('0 of 10 nodes confirmed');
  expect(demo.output()).toMatch(/\d+ × HELPER_EXIT, the last: node-.*no licence/);
});

test('a helper that cannot be run ends the demo at once, in the words of the provisioner', async () => {
  const demo = startDemo('--helper', '"unfinished');
  expect(await demo.exited, demo.output()).toBe(1);
  expect(demo.output()).toMatch(/provisioner ended with 2.*helper/s);
});

test('a wrong command line: exit code 2 and how it is used', async () => {
  const demo = startDemo('--nodes', 'many');
  expect(await demo.exited).toBe(2);
  expect(demo.output()).toMatch(/--nodes many.*usage:/s);
});

describe('no process is left behind', () => {
  test('by Ctrl-C during work', async () => {
    const demo = startDemo('--nodes', '400');
    const directory = await untilSaid(demo, 'confirmed');
    expect(processesWith(directory)).not.toEqual([]);
    demo.child.kill('SIGINT');
    expect(await demo.exited, demo.output()).toBe(1);
    expect(demo.output()).toContain('interrupted');
    expect(processesWith(directory)).toEqual([]);
  });

  test('by a demo that is killed', async () => {
    const demo = startDemo('--nodes', '5', '--keep');
    const directory = await untilSaid(demo, 'kept up');
    expect(processesWith(directory)).not.toEqual([]);
    demo.child.kill('SIGKILL');
    await until(() => processesWith(directory).length === 0, {
      what: 'its services have ended',
      timeoutMs: 20_000,
    });
  });
});
