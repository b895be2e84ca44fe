// helper_mode: persistent with real processes: one line in, one line out, from node to node. What goes wrong has the
// reason that it has in exec mode, the process is replaced, and no answer goes to another node than the one asked about.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { SiteHelper } from '../../services/provisioner/helper/site-helper.js';
import type { Identity } from '../../shared/identity.js';
import { loggerTo } from '../../shared/logger.js';
import { ask, eventually, growthMb, HelperBench, inputOf, residentMb } from './helper-support.js';

let bench: HelperBench;
let lines: string[];

beforeEach(async () => {
  bench = await HelperBench.open();
  lines = [];
});

afterEach(async () => {
  await bench.close();
});

interface Options {
  readonly timeoutMs?: number;
  readonly concurrency?: number;
}

/** A helper over a script of sh. */
async function persistent(body: string, options: Options = {}): Promise<SiteHelper> {
  return bench.helper([await bench.script(body)], { mode: 'persistent', log: log(), ...options });
}

/** A helper over a script of Node, which has `answer(reply)`; the body handles `line`, the `n`th from 1. */
async function persistentNode(body: string, options: Options = {}): Promise<SiteHelper> {
  const script = await bench.script(
    `#!${process.execPath}
     let n = 0;
     const answer = (reply) => process.stdout.write(JSON.stringify(reply) + '\\n');
     require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => { n += 1; ${body} });`,
  );
  return bench.helper([script], { mode: 'persistent', log: log(), ...options });
}

function log() {
  return loggerTo({ write: (line) => lines.push(line) }, { service: 'test', site: 's', level: 'debug' });
}

function logged(level: string): Array<Record<string, unknown>> {
  return lines.map((line) => JSON.parse(line)).filter((entry) => entry.level === level);
}

/** Answers each line with its process and how many it has answered. */
const counting = `n=0; while read -r line; do n=$((n + 1)); echo "{\\"msg\\":\\"$$ $n\\"}"; done`;

/** What a helper that counts answered: the process, and the how manyth. */
async function counted(helper: SiteHelper): Promise<{ pid: number; n: number }> {
  const reply = await ask(helper);
  if (!('msg' in reply)) throw new Error(JSON.stringify(reply));
  const [pid, n] = reply.msg.split(' ').map(Number);
  return { pid: pid ?? 0, n: n ?? 0 };
}

function nothingIsLeft(): Promise<unknown> {
  return eventually(
    () => bench.programs(),
    (programs) => programs.length === 0,
  );
}

/** Waits until so many of what the scripts start are there. */
function sleepers(count: number): Promise<unknown> {
  return eventually(
    () => bench.programs(),
    (programs) => programs.filter(({ command }) => command.startsWith('sleep')).length === count,
  );
}

/** What is logged at a level, once there is so much of it. */
async function messages(level: string, count: number): Promise<unknown[]> {
  const entries = await eventually(
    async () => logged(level),
    ({ length }) => length >= count,
  );
  return entries.map(({ msg }) => msg);
}

async function spawnerPid(): Promise<number> {
  const [spawner] = await eventually(
    () => bench.spawners(),
    (spawners) => spawners.length > 0,
  );
  return spawner?.pid ?? 0;
}

const hint = 'helper_mode: persistent needs a program that answers line by line';

describe('a helper that answers line by line', () => {
  test('is started once, and asked again and again', async () => {
    const helper = await persistent(counting);
    const first = await counted(helper);
    expect(first.n).toBe(1);
    for (const n of [2, 3, 4]) expect(await counted(helper)).toEqual({ pid: first.pid, n });
    expect(await bench.programs()).toHaveLength(1);
    expect(logged('warn')).toEqual([]);
  });

  test('has as many processes as are asked at once, and never more than helper_concurrency', async () => {
    const helper = await persistent(
      `while read -r line; do sleep 0.05; echo "{\\"msg\\":\\"$$ 0\\"}"; done`,
      { concurrency: 3 },
    );
    const alone = await counted(helper);
    expect(await counted(helper)).toEqual(alone);
    const answers = await Promise.all(Array.from({ length: 15 }, () => counted(helper)));
    expect(new Set(answers.map(({ pid }) => pid)).size).toBe(3);
    const processes = (await bench.programs()).filter(({ command }) => !command.startsWith('sleep'));
    expect(new Set(processes.map(({ pid }) => pid))).toEqual(new Set(answers.map(({ pid }) => pid)));
  });

  test('is given all of a large input, and may answer with 8 MiB', async () => {
    const pad = 8_388_608 - '{"msg":""}'.length;
    const helper = await persistentNode(
      `answer({ msg: n === 1 ? String(line.length) : 'x'.repeat(${pad} + n - 2) });`,
    );
    const first = await ask(helper, inputOf(3_000_000));
    expect(Number('msg' in first && first.msg)).toBeGreaterThan(3_000_000);
    const second = await ask(helper);
    expect('msg' in second && second.msg.length).toBe(pad);
    expect(await ask(helper)).toEqual({
      reason: 'HELPER_TOO_LARGE',
      message: 'the helper wrote more than 8388608 bytes',
    });
  });

  test('may answer piece by piece, and end its line as Windows does', async () => {
    const helper = await persistent(
      `while read -r line; do
         for piece in '{"ms' 'g":"' "$$" ' 0"}' '\\r' '\\n'; do sleep 0.01; printf "$piece"; done
       done`,
    );
    expect(await counted(helper)).toEqual(await counted(helper));
  });

  test('reads what nodes say as one line, whatever characters are in it', async () => {
    const helper = await persistentNode(
      `answer({ msg: JSON.parse(JSON.parse(line).inventory).facts.text });`,
    );
    const text = 'a\nb\r\nc\u2028d\u2029e\u0085f';
    const { inventory, ...node } = inputOf();
    const input = { ...node, inventory: { ...inventory, factsJson: `{"text":${JSON.stringify(text)}}` } };
    for (let i = 0; i < 2; i += 1) expect(await ask(helper, input)).toMatchObject({ msg: text });
  });

  test('is tried out like one that is asked about a node: by the same processes, and on one line', async () => {
    const helper = await persistent(counting);
    const { pid } = await counted(helper);
    const never = new AbortController().signal;
    const trial = await helper.tryOut(Buffer.from('{\n  "identity": "n1"\r\n}\n'), never);
    expect(trial).toMatchObject({
      verdict: { kind: 'REPLY', text: `{"msg":"${pid} 2"}` },
      exitCode: undefined,
    });
    expect(await counted(helper)).toEqual({ pid, n: 3 });
  });

  test('has its standard error logged with the node that it was about', async () => {
    const helper = await persistent(
      `n=0; while read -r line; do n=$((n + 1)); echo "note $n" >&2; echo '{}'; done`,
    );
    await ask(helper);
    await ask(helper);
    expect(logged('debug').map(({ stderr }) => stderr)).toEqual(['note 1\n', 'note 2\n']);
  });
});

describe('a helper that answers, and not usably', () => {
  test('with an empty line is HELPER_EMPTY, and goes on', async () => {
    const helper = await persistent(`while read -r line; do echo "no rack for this one" >&2; echo; done`);
    const failure = {
      reason: 'HELPER_EMPTY',
      message: 'the helper answered with an empty line: no rack for this one',
    };
    for (let i = 0; i < 2; i += 1) expect(await ask(helper)).toEqual(failure);
    expect(await bench.programs()).toHaveLength(1);
    expect(logged('warn')).toEqual([]);
  });

  test('with what is no JSON is HELPER_INVALID, and goes on', async () => {
    const helper = await persistent(`while read -r line; do echo "{"; done`);
    for (let i = 0; i < 2; i += 1) {
      expect(await ask(helper)).toEqual({
        reason: 'HELPER_INVALID',
        message: expect.stringMatching(
          /^line 1, column \d+: .*; with helper_mode: persistent an answer is one line$/,
        ),
      });
    }
    expect(await bench.programs()).toHaveLength(1);
  });

  test('with a number where a string belongs is HELPER_INVALID and named', async () => {
    const helper = await persistent(
      `while read -r line; do echo '{"configuration":{"registerinterval":300}}'; done`,
    );
    expect(await ask(helper)).toEqual({
      reason: 'HELPER_INVALID',
      message: 'configuration.registerinterval: expected a string, got the number 300',
    });
  });

  test('with two lines is HELPER_INVALID, since nobody can say which counts, and is replaced', async () => {
    const helper = await persistentNode(`process.stdout.write('{"msg":"one"}\\n{"msg":"two"}\\n');`);
    for (let i = 0; i < 2; i += 1) {
      expect(await ask(helper)).toEqual({
        reason: 'HELPER_INVALID',
        message:
          'the helper answered with more than one line; with helper_mode: persistent an answer is one line',
      });
    }
    await nothingIsLeft();
  });

  test('with white space after its line is understood, and replaced before the next node', async () => {
    const helper = await persistentNode(
      `process.stdout.write(JSON.stringify({ msg: process.pid + ' ' + n }) + '\\n\\n');`,
    );
    const [first, second] = [await counted(helper), await counted(helper)];
    expect([first.n, second.n]).toEqual([1, 1]);
    expect(first.pid).not.toBe(second.pid);
    await nothingIsLeft();
    const why =
      /^a helper process wrote to standard output without being asked, after 1 answer, and was killed/;
    expect(await messages('warn', 2)).toEqual([expect.stringMatching(why), expect.stringMatching(why)]);
  });

  test('with more than 8 MiB is cut off and replaced', async () => {
    const helper = await persistent('read -r line; head -c 50000000 /dev/zero; sleep 600');
    const grown = await growthMb(async () => {
      expect(await ask(helper)).toMatchObject({ reason: 'HELPER_TOO_LARGE' });
    });
    expect(grown).toBeLessThan(60);
    expect(await residentMb(await spawnerPid(), 'VmHWM')).toBeLessThan(150);
    expect(helper.busy).toBe(0);
    await nothingIsLeft();
  });

  test('before it has read what it is asked is HELPER_INVALID, and replaced', async () => {
    const helper = await persistent(`echo '{"msg":"at your service"}'; sleep 600`);
    expect(await ask(helper, inputOf(1_000_000))).toEqual({
      reason: 'HELPER_INVALID',
      message: `the helper answered before it had read what it was asked; ${hint}`,
    });
    await nothingIsLeft();
  });
});

describe('a helper that speaks out of turn', () => {
  test('is replaced before the next node, and the log says why', async () => {
    const helper = await persistent(
      `read -r line; echo "{\\"msg\\":\\"$$ 1\\"}"; sleep 0.1; echo "by the way" >&2; echo '{"msg":"more"}'; sleep 600`,
    );
    const first = await counted(helper);
    await nothingIsLeft();
    const second = await counted(helper);
    expect(second.pid).not.toBe(first.pid);
    await messages('warn', 1);
    expect(logged('warn')[0]).toMatchObject({
      msg: 'a helper process wrote to standard output without being asked, after 1 answer, and was killed; another is started when it is needed',
      stderr: 'by the way\n',
    });
  });

  test('never has one node configured with what is another’s', async () => {
    // Each question has another fault: it is answered twice, or the process ends before its answer, in it or after it.
    const helper = await persistentNode(
      `const reply = JSON.stringify({ msg: JSON.parse(JSON.parse(line).inventory).facts.role });
       const faults = [
         () => process.stdout.write(reply + '\\n'),
         () => process.stdout.write(reply + '\\n' + reply + '\\n'),
         () => process.exit(0),
         () => process.stdout.write(reply + '\\n', () => process.exit(0)),
         () => process.stdout.write(reply.slice(0, 9), () => process.exit(0)),
       ];
       faults[Number(JSON.parse(JSON.parse(line).inventory).version) % faults.length]();`,
      { concurrency: 3 },
    );
    const { inventory, ...node } = inputOf();
    const asked = Array.from({ length: 100 }, (_, i) => `role-${i}`);
    const answers = await Promise.all(
      asked.map(async (role, i) => {
        const about = { ...inventory, version: String(i), factsJson: JSON.stringify({ role }) };
        const reply = await ask(helper, { ...node, inventory: about });
        return 'msg' in reply ? reply.msg : role;
      }),
    );
    expect(answers).toEqual(asked);
  });
});

describe('a helper that says for which node its answer is', () => {
  const named = (identity: string) => ({ ...inputOf(), identity: identity as Identity });
  /** Answers with the node's name, and once more after so many milliseconds. */
  const twice = (ms: string) =>
    `const { identity } = JSON.parse(line);
     const reply = { identity, msg: process.pid + ' ' + n, configuration: { identity } };
     answer(reply);
     const late = ${ms};
     if (late > 0) setTimeout(answer, late, reply);`;

  test('is asked again and again', async () => {
    const helper = await persistentNode(twice('0'));
    const first = await counted(helper);
    for (const n of [2, 3]) expect(await counted(helper)).toEqual({ pid: first.pid, n });
  });

  test('and answers 100 ms late a second time fails the node asked about then, and is replaced', async () => {
    const helper = await persistentNode(
      `const { identity } = JSON.parse(line);
       const reply = { identity, msg: process.pid + ' ' + n, configuration: { identity } };
       if (n === 1) answer(globalThis.first = reply);
       else setTimeout(answer, 100, globalThis.first);`,
    );
    const first = await ask(helper, named('n1'));
    expect(first).toMatchObject({ configuration: new Map([['identity', 'n1']]) });
    expect(await ask(helper, named('n2'))).toEqual({
      reason: 'HELPER_INVALID',
      message: 'identity: the answer is for n1, and n2 was asked about',
    });
    const third = await ask(helper, named('n2'));
    expect(third).toMatchObject({ configuration: new Map([['identity', 'n2']]) });
    const pids = [first, third].map((reply) => 'msg' in reply && reply.msg.split(' ')[0]);
    expect(pids[0]).not.toBe(pids[1]);
    expect(await bench.programs()).toHaveLength(1);
    expect(logged('warn')).toEqual([]);
  });

  test('never has one node configured with what is another’s, however late it answers again', async () => {
    const helper = await persistentNode(twice('[0, 1, 3, 8, 20][Number(identity.slice(1)) % 5]'), {
      concurrency: 3,
    });
    const asked = Array.from({ length: 100 }, (_, i) => `n${i}`);
    const answers = await Promise.all(
      asked.map(async (name) => {
        const reply = await ask(helper, named(name));
        if ('configuration' in reply) return reply.configuration.get('identity');
        return reply.reason === 'HELPER_INVALID' ? name : reply.reason;
      }),
    );
    expect(answers).toEqual(asked);
  });

  test('is tried out like one that is asked about a node', async () => {
    const helper = await persistentNode(`answer({ identity: 'n1' });`);
    const never = new AbortController().signal;
    const { verdict } = await helper.tryOut(Buffer.from('{"identity":"n2"}'), never, 'n2' as Identity);
    expect(verdict).toMatchObject({ kind: 'FAILED', reason: 'HELPER_INVALID' });
    await nothingIsLeft();
    expect(await ask(helper, named('n1'))).toMatchObject({ msg: '' });
  });
});

describe('a helper that does not answer', () => {
  test('in time is killed with its group, and replaced', async () => {
    const helper = await persistent(
      `read -r line; echo "{\\"msg\\":\\"$$ 1\\"}"; read -r line; echo thinking >&2; sleep 600 & sleep 600`,
      { timeoutMs: 2_500 },
    );
    const first = await counted(helper);
    expect(await ask(helper)).toEqual({
      reason: 'HELPER_TIMEOUT',
      message: 'the helper did not answer within 2.5s: thinking',
    });
    await nothingIsLeft();
    expect((await counted(helper)).pid).not.toBe(first.pid);
  });

  test('in time is not heard later', async () => {
    const helper = await persistent(
      `if mkdir "$FOLDER/first" 2>/dev/null; then read -r line; sleep 2.2; echo '{"msg":"late"}'; fi; ${counting}`,
      { timeoutMs: 2_000 },
    );
    expect(await ask(helper)).toMatchObject({ reason: 'HELPER_TIMEOUT' });
    for (const n of [1, 2]) expect((await counted(helper)).n).toBe(n);
  });

  test('because it waits for the end of its input, as one for helper_mode: exec does, is told so', async () => {
    const helper = await persistent(`cat >/dev/null; echo '{}'`, { timeoutMs: 400 });
    expect(await ask(helper)).toEqual({
      reason: 'HELPER_TIMEOUT',
      message: `the helper did not answer within 400ms; it has answered nothing yet: ${hint}`,
    });
    await nothingIsLeft();
  });

  test('because it does not read, holds up no other', async () => {
    const helper = await persistent(
      `if mkdir "$FOLDER/first" 2>/dev/null; then sleep 600; fi; while read -r line; do echo '{}'; done`,
      { timeoutMs: 4_000, concurrency: 2 },
    );
    const stuck = ask(helper, inputOf(1_000_000));
    await sleepers(1);
    for (let i = 0; i < 5; i += 1) expect(await ask(helper)).toMatchObject({ msg: '' });
    expect(helper.busy).toBe(1);
    expect(await stuck).toMatchObject({ reason: 'HELPER_TIMEOUT' });
  });

  test('because its run is aborted is killed with its group, and replaced', async () => {
    const helper = await persistent(
      `while read -r line; do if mkdir "$FOLDER/first" 2>/dev/null; then sleep 600 & sleep 600; fi; echo '{}'; done`,
    );
    const controller = new AbortController();
    const asked = ask(helper, inputOf(), controller.signal);
    await sleepers(2);
    controller.abort(new Error('superseded'));
    await expect(asked).rejects.toThrow('superseded');
    expect(helper.busy).toBe(0);
    await nothingIsLeft();
    expect(await ask(helper)).toMatchObject({ msg: '' });
  });
});

describe('a helper that ends', () => {
  test('after some answers costs no node anything', async () => {
    const helper = await persistent(`for n in 1 2; do read -r line; echo "{\\"msg\\":\\"$$ $n\\"}"; done`, {
      concurrency: 2,
    });
    const answers = await Promise.all(Array.from({ length: 12 }, () => counted(helper)));
    expect(new Set(answers.map(({ pid }) => pid)).size).toBeGreaterThanOrEqual(6);
    expect(logged('warn')).toEqual([]);
    expect((await messages('info', 3))[0]).toMatch(
      /^a helper process exited with code 0 after [12] answers?; another is /,
    );
  });

  test('while nothing is asked is replaced when it is needed, and the log says why', async () => {
    const helper = await persistent(
      `read -r line; echo "{\\"msg\\":\\"$$ 1\\"}"; sleep 0.1; echo "lost the database" >&2; exit 3`,
    );
    const first = await counted(helper);
    await nothingIsLeft();
    await messages('warn', 1);
    expect(logged('warn')).toMatchObject([
      {
        msg: 'a helper process exited with code 3 after 1 answer; another is started when it is needed',
        stderr: 'lost the database\n',
      },
    ]);
    expect((await counted(helper)).pid).not.toBe(first.pid);
  });

  test('when it is asked has the same asked of a fresh one, and no more than that', async () => {
    const helper = await persistent(
      `echo start >>"$FOLDER/starts"; n=0
       while read -r line; do
         case $line in *poison*) echo "cannot bear it" >&2; exit 4;; esac
         n=$((n + 1)); echo "{\\"msg\\":\\"$$ $n\\"}"
       done`,
    );
    await counted(helper);
    const { inventory, ...node } = inputOf();
    const poison = { ...node, inventory: { ...inventory, version: 'poison' } };
    expect(await ask(helper, poison)).toEqual({
      reason: 'HELPER_EXIT',
      message: 'the helper exited with code 4 before it answered: cannot bear it',
    });
    expect((await bench.file('starts')).trim().split('\n')).toHaveLength(2);
    expect(await ask(helper, poison)).toMatchObject({ reason: 'HELPER_EXIT' });
    expect((await bench.file('starts')).trim().split('\n')).toHaveLength(3);
    expect((await counted(helper)).n).toBe(1);
    expect(logged('warn').map(({ msg }) => msg)).toEqual([
      'a helper process exited with code 4 after 1 answer; another is asked the same',
    ]);
  });

  test('at once, with code 0, is told what this mode needs', async () => {
    expect(await ask(await persistent('cat </dev/null'))).toEqual({
      reason: 'HELPER_EXIT',
      message: `the helper exited with code 0 before it answered; ${hint}`,
    });
    expect(await ask(await persistent(`printf '{"msg":"no line end"}'`))).toEqual({
      reason: 'HELPER_EXIT',
      message: `the helper exited with code 0 within its answer; ${hint}`,
    });
  });

  test('in the middle of its answer is HELPER_EXIT, and asked once', async () => {
    const helper = await persistent(
      `echo start >>"$FOLDER/starts"; read -r line; echo '{}'; read -r line; printf '{"msg":'; kill -SEGV $$`,
    );
    await ask(helper);
    expect(await ask(helper)).toEqual({
      reason: 'HELPER_EXIT',
      message: 'the helper was killed by SIGSEGV within its answer',
    });
    expect(await bench.file('starts')).toBe('start\n');
  });

  test('by its exit code is told with the end of its stderr', async () => {
    const helper = await persistent(
      `head -c 9000 /dev/zero | tr '\\0' x >&2; echo 'no such host' >&2; exit 7`,
    );
    const failure = await ask(helper);
    expect(failure).toMatchObject({
      reason: 'HELPER_EXIT',
      message: expect.stringMatching(/^the helper exited with code 7 before it answered: x+no such host$/),
    });
    expect('message' in failure && failure.message.length).toBeLessThan(2_200);
  });

  test('and leaves somebody who holds its pipes is told at once', async () => {
    const helper = await persistent('sleep 600 & exit 3', { timeoutMs: 60_000 });
    expect(await ask(helper)).toEqual({
      reason: 'HELPER_EXIT',
      message: 'the helper exited with code 3 before it answered',
    });
    await nothingIsLeft();
  });

  test('and leaves somebody out of reach who holds its pipes is given up', async () => {
    const helper = await persistent(`setsid sleep 600 & read -r line; exit 3`, { timeoutMs: 60_000 });
    expect(await ask(helper)).toMatchObject({ reason: 'HELPER_EXIT' });
    expect(helper.busy).toBe(0);
  });

  test('and cannot be started is HELPER_NOT_FOUND, each time', async () => {
    const helper = bench.helper(['/no/such/helper'], { mode: 'persistent' });
    for (let i = 0; i < 2; i += 1) {
      expect(await ask(helper)).toEqual({
        reason: 'HELPER_NOT_FOUND',
        message: 'helper /no/such/helper does not exist',
      });
    }
  });
});

describe('a helper that closes', () => {
  test('its standard input is heard, and not asked again', async () => {
    const helper = await persistent(`read -r line; exec <&-; echo "{\\"msg\\":\\"$$ 1\\"}"; sleep 600`);
    const [first, second] = [await counted(helper), await counted(helper)];
    expect(first.pid).not.toBe(second.pid);
    expect(await messages('warn', 1)).toEqual([
      'a helper process closed its standard input after 1 answer; another is asked the same',
    ]);
  });

  test('its standard input at once, and is given more than a pipe takes, is HELPER_EXIT', async () => {
    const helper = await persistent('exec <&-; sleep 600', { timeoutMs: 60_000 });
    expect(await ask(helper, inputOf(1_000_000))).toEqual({
      reason: 'HELPER_EXIT',
      message: `the helper closed its standard input before it answered; ${hint}`,
    });
    await nothingIsLeft();
  });

  test('its standard output can answer no more', async () => {
    const helper = await persistent('read -r line; exec >&-; sleep 600', { timeoutMs: 60_000 });
    expect(await ask(helper)).toEqual({
      reason: 'HELPER_EXIT',
      message: `the helper closed its standard output before it answered; ${hint}`,
    });
    await nothingIsLeft();
  });
});

test('100 MB on stderr cost no memory, and the process goes on', async () => {
  const helper = await persistent(
    `n=0; while read -r line; do n=$((n + 1)); head -c 100000000 /dev/zero >&2; echo "{\\"msg\\":\\"$$ $n\\"}"; done`,
  );
  const grown = await growthMb(async () => {
    const first = await counted(helper);
    expect(await counted(helper)).toEqual({ pid: first.pid, n: 2 });
  });
  expect(grown).toBeLessThan(50);
  expect(await residentMb(await spawnerPid(), 'VmHWM')).toBeLessThan(150);
});

describe('the end of it all', () => {
  test('closes standard input, kills who goes on, and leaves nothing', async () => {
    const helper = await persistent(
      `trap '' TERM INT HUP
       while read -r line; do sleep 0.1; echo '{}'; done; echo bye >>"$FOLDER/ends"
       if mkdir "$FOLDER/first" 2>/dev/null; then sleep 600 & sleep 600; fi`,
      { concurrency: 2 },
    );
    await Promise.all([ask(helper), ask(helper)]);
    await helper.close();
    expect(await bench.file('ends')).toBe('bye\nbye\n');
    expect(await bench.spawners()).toEqual([]);
    await nothingIsLeft();
    expect(logged('warn')).toEqual([]);
    expect(await ask(helper)).toMatchObject({ reason: 'HELPER_EXIT' });
  });

  test('kills who is at work', async () => {
    const helper = await persistent('read -r line; sleep 600 & sleep 600');
    const asked = ask(helper);
    await sleepers(2);
    await helper.close();
    expect(await asked).toEqual({
      reason: 'HELPER_EXIT',
      message: 'the helper was killed: the service is stopping',
    });
    await nothingIsLeft();
  });

  test.each(['at work', 'waiting'])('also comes to one %s when the service is killed', async (state) => {
    const script = await bench.script(
      state === 'at work'
        ? 'read -r line; sleep 600 & sleep 600'
        : `read -r line; sleep 600 & echo '{}'; trap '' PIPE; sleep 600`,
    );
    const program = fileURLToPath(new URL('./helper-service.ts', import.meta.url));
    const service = spawn(process.execPath, ['--import', 'tsx', program, script, 'persistent'], {
      env: bench.env,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    if (state === 'waiting') await once(service.stdout, 'data');
    await sleepers(2);
    service.kill('SIGKILL');
    await once(service, 'exit');
    await nothingIsLeft();
    await eventually(
      () => bench.spawners(),
      (spawners) => spawners.length === 0,
    );
  });

  test('comes to those that wait when the spawner is killed; others take their place', async () => {
    const helper = await persistent(`read -r line; echo "{\\"msg\\":\\"$$ 1\\"}"; sleep 600 & sleep 600`);
    const first = await counted(helper);
    process.kill(await spawnerPid(), 'SIGKILL');
    await nothingIsLeft();
    expect((await counted(helper)).pid).not.toBe(first.pid);
  });

  test('comes to one that is asked when the spawner is killed; another is asked', async () => {
    const helper = await persistent(
      `while read -r line; do if mkdir "$FOLDER/first" 2>/dev/null; then sleep 600; fi; echo '{}'; done`,
    );
    const asked = ask(helper);
    await sleepers(1);
    process.kill(await spawnerPid(), 'SIGKILL');
    expect(await asked).toMatchObject({ msg: '' });
  });
});
