// What helpers may do wrong, with real processes: each fault has its reason, the slot is free again in
// time, and no process is left behind.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { loggerTo } from '../../shared/logger.js';
import { FakeClock } from '../fakes/fake-clock.js';
import { ask, configured, eventually, growthMb, HelperBench, inputOf, residentMb } from './helper-support.js';

let bench: HelperBench;

beforeEach(async () => {
  bench = await HelperBench.open();
});

afterEach(async () => {
  await bench.close();
});

function nothingIsLeft(): Promise<unknown> {
  return eventually(
    () => bench.programs(),
    (programs) => programs.length === 0,
  );
}

async function spawnerPid(): Promise<number> {
  const [spawner] = await eventually(
    () => bench.spawners(),
    (spawners) => spawners.length > 0,
  );
  return spawner?.pid ?? 0;
}

describe('a helper that does not end', () => {
  test('is killed at its time limit', async () => {
    const script = await bench.script(
      `cat >/dev/null; if mkdir "$FOLDER/first" 2>/dev/null; then exec echo '{}'; fi; echo thinking >&2; sleep 600`,
    );
    const helper = bench.helper([script], { timeoutMs: 500 });
    // The first one also waits for the spawner to come up.
    await ask(helper);
    const startedAt = performance.now();
    expect(await ask(helper)).toEqual({
      reason: 'HELPER_TIMEOUT',
      message: 'the helper, or a process that it started, was not done after 500ms: thinking',
    });
    expect(performance.now() - startedAt).toBeLessThan(3_000);
    expect(helper.busy).toBe(0);
    await nothingIsLeft();
  });

  test('because a grandchild keeps stdout open is killed with it', async () => {
    const script = await bench.script(`sleep 600 & echo '${configured}'`);
    const helper = bench.helper([script], { timeoutMs: 500 });
    expect(await ask(helper)).toMatchObject({ reason: 'HELPER_TIMEOUT' });
    await nothingIsLeft();
  });

  test('because somebody who left its process group keeps stdout open is given up', async () => {
    const script = await bench.script(`setsid sleep 600 & echo '${configured}'`);
    const helper = bench.helper([script], { timeoutMs: 500 });
    expect(await ask(helper)).toMatchObject({ reason: 'HELPER_TIMEOUT' });
    expect(helper.busy).toBe(0);
  });

  test('and ignores every signal that can be ignored is killed all the same', async () => {
    const script = await bench.script(`trap '' TERM INT HUP; while :; do sleep 1; done`);
    expect(await ask(bench.helper([script], { timeoutMs: 300 }))).toMatchObject({ reason: 'HELPER_TIMEOUT' });
    await nothingIsLeft();
  });

  test('is killed with its group when its run is aborted', async () => {
    const helper = bench.helper([await bench.script('sleep 600 & sleep 600')]);
    const controller = new AbortController();
    const asked = ask(helper, inputOf(), controller.signal);
    await eventually(
      () => bench.programs(),
      (programs) => programs.length >= 3,
    );
    controller.abort(new Error('superseded'));
    await expect(asked).rejects.toThrow('superseded');
    expect(helper.busy).toBe(0);
    await nothingIsLeft();
  });
});

describe('processes that a helper leaves behind', () => {
  test('are killed once it has answered', async () => {
    const helper = bench.helper([await bench.script(`sleep 600 >/dev/null 2>&1 & echo '${configured}'`)]);
    expect(await ask(helper)).toMatchObject({ msg: '' });
    await nothingIsLeft();
  });

  test('do not delay the answer where they hold only stderr', async () => {
    const helper = bench.helper([await bench.script(`setsid sleep 600 >/dev/null & echo '${configured}'`)]);
    const startedAt = performance.now();
    expect(await ask(helper)).toMatchObject({ msg: '' });
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  });

  test('may still write its answer for it', async () => {
    const helper = bench.helper([await bench.script(`(sleep 0.2; echo '${configured}') &`)]);
    expect(await ask(helper)).toMatchObject({ msg: '' });
  });

  test('do not hold up the news that it failed', async () => {
    const helper = bench.helper([await bench.script('sleep 600 & exit 3')], { timeoutMs: 60_000 });
    expect(await ask(helper)).toEqual({ reason: 'HELPER_EXIT', message: 'the helper exited with code 3' });
    await nothingIsLeft();
  });
});

describe('input and output', () => {
  test('a helper that does not read 1 MB of input harms nothing', async () => {
    const helper = bench.helper([await bench.script(`echo '${configured}'`)]);
    for (let i = 0; i < 5; i += 1) expect(await ask(helper, inputOf(1_000_000))).toMatchObject({ msg: '' });
  });

  test('a helper that closes stdin early harms nothing', async () => {
    const helper = bench.helper([await bench.script(`exec <&-; sleep 0.2; echo '${configured}'`)]);
    expect(await ask(helper, inputOf(1_000_000))).toMatchObject({ msg: '' });
  });

  test('a helper that reads all of a large input gets all of it', async () => {
    const helper = bench.helper([await bench.script(`printf '{"msg":"%s"}' "$(wc -c)"`)]);
    const input = inputOf(3_000_000);
    const length = JSON.stringify(JSON.stringify({ padding: 'x'.repeat(3_000_000) })).length;
    const reply = await ask(helper, input);
    expect(Number('msg' in reply && reply.msg)).toBeGreaterThan(length);
  });

  test('100 MB on stderr cost no memory and no time', async () => {
    const helper = bench.helper([
      await bench.script(`head -c 100000000 /dev/zero >&2; echo '${configured}'`),
    ]);
    const grown = await growthMb(async () => expect(await ask(helper)).toMatchObject({ msg: '' }));
    expect(grown).toBeLessThan(50);
    expect(await residentMb(await spawnerPid(), 'VmHWM')).toBeLessThan(150);
    await nothingIsLeft();
  });

  test('50 MB on stdout are cut off at 8 MiB', async () => {
    const helper = bench.helper([await bench.script('head -c 50000000 /dev/zero; sleep 600')]);
    const grown = await growthMb(async () => {
      expect(await ask(helper)).toEqual({
        reason: 'HELPER_TOO_LARGE',
        message: 'the helper wrote more than 8388608 bytes',
      });
    });
    expect(grown).toBeLessThan(60);
    expect(await residentMb(await spawnerPid(), 'VmHWM')).toBeLessThan(150);
    await nothingIsLeft();
  });

  test('8 MiB on stdout are taken, one byte more is not', async () => {
    const pad = 8_388_608 - '{"msg":""}'.length;
    const script = await bench.script(`printf '{"msg":"'; head -c "$1" /dev/zero | tr '\\0' x; printf '"}'`);
    const reply = await ask(bench.helper([script, String(pad)]));
    expect('msg' in reply && reply.msg.length).toBe(pad);
    expect(await ask(bench.helper([script, String(pad + 1)]))).toMatchObject({ reason: 'HELPER_TOO_LARGE' });
  });

  test('output that comes a byte at a time is put together', async () => {
    const helper = bench.helper([
      await bench.script(`for c in '{' '"' m s g '"' : '"' x '"' '}'; do printf %s "$c"; sleep 0.01; done`),
    ]);
    expect(await ask(helper)).toMatchObject({ msg: 'x' });
  });

  test('no output is HELPER_EMPTY', async () => {
    const helper = bench.helper([await bench.script('echo "nothing to say" >&2')]);
    expect(await ask(helper)).toEqual({
      reason: 'HELPER_EMPTY',
      message: 'the helper wrote nothing: nothing to say',
    });
  });

  test('a number where a string belongs is HELPER_INVALID and named', async () => {
    const helper = bench.helper([await bench.script(`echo '{"configuration":{"registerinterval":300}}'`)]);
    expect(await ask(helper)).toEqual({
      reason: 'HELPER_INVALID',
      message: 'configuration.registerinterval: expected a string, got the number 300',
    });
  });

  test('the end of stderr is logged at debug', async () => {
    const lines: string[] = [];
    const log = loggerTo(
      { write: (line) => lines.push(line) },
      { service: 'test', site: 's', level: 'debug' },
    );
    const script = await bench.script(
      `head -c 5000 /dev/zero | tr '\\0' x >&2; echo end >&2; echo '${configured}'`,
    );
    await ask(bench.helper([script], { log }));
    const entry = lines.map((line) => JSON.parse(line)).find(({ stderr }) => stderr !== undefined);
    expect(entry).toMatchObject({
      identity: 'n1.example.net',
      stderr_bytes: 5_004,
      stderr: expect.stringMatching(/^x{2044}end\n$/),
    });
  });
});

describe('a helper that fails', () => {
  test('by its exit code is told with the end of its stderr, whatever it wrote', async () => {
    const script = await bench.script(
      `echo '${configured}'; head -c 9000 /dev/zero | tr '\\0' x >&2; echo 'no such host' >&2; exit 7`,
    );
    const failure = await ask(bench.helper([script]));
    expect(failure).toMatchObject({
      reason: 'HELPER_EXIT',
      message: expect.stringMatching(/^the helper exited with code 7: x+no such host$/),
    });
    expect('message' in failure && failure.message.length).toBeLessThan(2_200);
  });

  test('by a signal is told so', async () => {
    expect(await ask(bench.helper([await bench.script('kill -SEGV $$')]))).toEqual({
      reason: 'HELPER_EXIT',
      message: 'the helper was killed by SIGSEGV',
    });
  });

  test('to start is HELPER_NOT_FOUND with the reason', async () => {
    const cases: Array<readonly [string, RegExp]> = [
      ['/no/such/helper', /^helper \/no\/such\/helper does not exist$/],
      ['no-such-helper', /^helper no-such-helper was not found in PATH/],
      [bench.folder, /is no file$/],
      [await bench.script('exit 0', 0o644), /is not executable for this user$/],
      [
        await bench.script('#!/no/such/ruby\n'),
        /names the interpreter \/no\/such\/ruby, which cannot be run$/,
      ],
    ];
    for (const [program, message] of cases) {
      expect(await ask(bench.helper([program]))).toEqual({
        reason: 'HELPER_NOT_FOUND',
        message: expect.stringMatching(message),
      });
    }
  });

  test('to start is said when the service starts, which goes on', async () => {
    const lines: string[] = [];
    const log = loggerTo(
      { write: (line) => lines.push(line) },
      { service: 'test', site: 's', level: 'info' },
    );
    bench.helper(['/no/such/helper'], { log });
    await eventually(
      async () => lines,
      ([line]) =>
        line?.includes('helper /no/such/helper does not exist; nodes fail until it can be started') === true,
    );
  });
});

describe('what a helper is given', () => {
  test('is the environment and folder of the service, but none of its settings', async () => {
    const script = await bench.script(
      `printf '{"configuration":{"home":"%s","token":"%s","folder":"%s","args":"%s"}}' "$HOME" "$SLIPWAY_TOKEN" "$PWD" "$*"`,
    );
    const reply = await ask(
      bench.helper([script, 'a b', 'c'], { env: { SLIPWAY_TOKEN: 's3cret', HOME: '/home/x' } }),
    );
    expect(Object.fromEntries('configuration' in reply ? reply.configuration : [])).toEqual({
      home: '/home/x',
      token: '',
      folder: process.cwd(),
      args: 'a b c',
    });
  });

  test('are pipes that it may open by name', async () => {
    const script = await bench.script(
      `input=$(cat /dev/stdin); [ -p /dev/stdin ] || exit 8; echo note >/dev/stderr
       [ "\${#input}" -gt 1000000 ] && echo '${configured}' | tee /dev/stderr >/dev/stdout`,
    );
    expect(await ask(bench.helper([script]), inputOf(1_000_000))).toMatchObject({ msg: '' });
  });

  test('is nothing that an earlier one left behind', async () => {
    // Each helper leaves somebody out of reach who reads what was its input, and writes to its output.
    const script = await bench.script(
      `input=$(cat); setsid sh -c 'while :; do echo junk; sleep 0.01; done' <&0 2>/dev/null &
       exec >&-; printf '%s' "$input" | tail -c 30 >>"$FOLDER/inputs"; exit 3`,
    );
    const helper = bench.helper([script], { timeoutMs: 2_000 });
    for (let i = 0; i < 4; i += 1) expect(await ask(helper)).toMatchObject({ reason: 'HELPER_EXIT' });
    const inputs = (await bench.file('inputs')).split('"jwt":null}');
    expect(inputs).toHaveLength(5);
    expect(new Set(inputs.slice(0, 4)).size).toBe(1);
  });

  test('is found by PATH', async () => {
    expect(await ask(bench.helper(['sh', '-c', `echo '${configured}'`]))).toMatchObject({ msg: '' });
  });
});

test('never more than helper_concurrency run at a time', async () => {
  const script = await bench.script(
    `mkdir "$FOLDER/run-$$"; ls -d "$FOLDER"/run-* | wc -l >>"$FOLDER/counts"; sleep 0.05; rmdir "$FOLDER/run-$$"; echo '${configured}'`,
  );
  const helper = bench.helper([script], { concurrency: 3 });
  await Promise.all(Array.from({ length: 20 }, () => ask(helper)));
  const counts = (await bench.file('counts')).trim().split('\n').map(Number);
  expect(counts).toHaveLength(20);
  expect(Math.max(...counts)).toBe(3);
});

describe('the spawner', () => {
  test('killed while helpers run takes them with it, and they are run again', async () => {
    const script = await bench.script(
      `if mkdir "$FOLDER/first" 2>/dev/null; then sleep 600; fi; echo '${configured}'`,
    );
    const helper = bench.helper([script]);
    const asked = ask(helper);
    await eventually(
      () => bench.programs(),
      (programs) => programs.some(({ command }) => command.startsWith('sleep')),
    );
    process.kill(await spawnerPid(), 'SIGKILL');
    expect(await asked).toMatchObject({ msg: '' });
    expect(await bench.spawners()).toHaveLength(1);
    await nothingIsLeft();
  });

  test('that says nothing long after the time limit is replaced', async () => {
    const clock = new FakeClock();
    const script = await bench.script(
      `if mkdir "$FOLDER/first" 2>/dev/null; then sleep 600; fi; echo '${configured}'`,
    );
    const asked = ask(bench.helper([script], { clock }));
    await eventually(
      () => bench.programs(),
      (programs) => programs.some(({ command }) => command.startsWith('sleep')),
    );
    process.kill(await spawnerPid(), 'SIGSTOP');
    await clock.advance(20_000);
    expect(await asked).toMatchObject({ msg: '' });
    await nothingIsLeft();
  });

  test('killed while nothing runs is replaced', async () => {
    const helper = bench.helper([await bench.script(`echo '${configured}'`)]);
    expect(await ask(helper)).toMatchObject({ msg: '' });
    process.kill(await spawnerPid(), 'SIGKILL');
    expect(await ask(helper)).toMatchObject({ msg: '' });
  });

  test('is not ended by the signals that a terminal or a service manager sends to all', async () => {
    const helper = bench.helper([await bench.script(`echo '${configured}'`)]);
    await ask(helper);
    const before = await spawnerPid();
    process.kill(before, 'SIGINT');
    process.kill(before, 'SIGTERM');
    expect(await ask(helper)).toMatchObject({ msg: '' });
    expect(await spawnerPid()).toBe(before);
  });

  test('is gone with everything that it ran once the helper is closed', async () => {
    const helper = bench.helper([await bench.script('sleep 600 & sleep 600')], { concurrency: 2 });
    const asked = [ask(helper), ask(helper)];
    await eventually(
      () => bench.programs(),
      (programs) => programs.length >= 6,
    );
    await helper.close();
    expect(await bench.spawners()).toEqual([]);
    await nothingIsLeft();
    for (const failure of await Promise.all(asked)) {
      expect(failure).toEqual({
        reason: 'HELPER_EXIT',
        message: 'the helper was killed: the service is stopping',
      });
    }
    expect(await ask(helper)).toMatchObject({ reason: 'HELPER_EXIT' });
  });

  test('ends, and its helpers with it, when the service is killed', async () => {
    const script = await bench.script('sleep 600 & sleep 600');
    const service = spawn(
      process.execPath,
      ['--import', 'tsx', fileURLToPath(new URL('./helper-service.ts', import.meta.url)), script],
      { env: bench.env, stdio: ['ignore', 'pipe', 'inherit'] },
    );
    await eventually(
      () => bench.programs(),
      (programs) => programs.filter(({ command }) => command.startsWith('sleep')).length === 2,
    );
    service.kill('SIGKILL');
    await once(service, 'exit');
    await nothingIsLeft();
    await eventually(
      () => bench.spawners(),
      (spawners) => spawners.length === 0,
    );
  });
});
