import { expect, test } from 'vitest';
import type { Identity } from '../../../shared/identity.js';
import { silentLogger } from '../../../shared/logger.js';
import { FakeClock, settle } from '../../../test/fakes/fake-clock.js';
import { type FakeProgram, FakeProgramRunner } from '../../../test/fakes/fake-program-runner.js';
import type { HelperInput } from './helper.js';
import { type HelperObservation, helperEnvironment, SiteHelper } from './site-helper.js';
import type { HelperMode } from './spawner/protocol.js';

const input: HelperInput = {
  identity: 'n1.example.net' as Identity,
  inventory: {
    version: '',
    upgradable: false,
    agents: [],
    classes: [],
    collectives: [],
    mainCollective: '',
    dataPlugins: [],
    machinesJson: '[]',
    factsJson: '{}',
  },
};
const exited = { how: 'EXITED', code: 0, signal: null } as const;
const never = new AbortController().signal;

function setUp(concurrency = 1, mode: HelperMode = 'exec') {
  const runner = new FakeProgramRunner();
  const clock = new FakeClock();
  const observed: HelperObservation[] = [];
  const helper = new SiteHelper(
    {
      command: ['/no/such/helper'],
      mode,
      timeoutMs: 10_000,
      concurrency,
      env: {},
      clock,
      log: silentLogger(),
      observe: (observation) => observed.push(observation),
    },
    { PATH: '/usr/bin' },
    runner,
  );
  /** The nth program that was started, from 1. */
  const program = async (n: number): Promise<FakeProgram> => {
    await settle();
    const found = runner.started[n - 1];
    if (found === undefined) throw new Error(`only ${runner.started.length} programs were started`);
    return found;
  };
  return { helper, runner, clock, observed, program };
}

test('the helper gets the input and its answer is the reply', async () => {
  const { helper, program } = setUp();
  const reply = helper.ask(input, never);
  const helperProgram = await program(1);
  expect(JSON.parse(helperProgram.input)).toMatchObject({ identity: 'n1.example.net' });
  helperProgram.end(exited, '{"configuration":{"a":"b"}}');
  expect((await reply).configuration).toEqual(new Map([['a', 'b']]));
});

test('a caller learns when the wait for a slot is over', async () => {
  const { helper, program } = setUp();
  const order: string[] = [];
  const first = helper.ask(input, never, { onStart: () => order.push('first starts') });
  const second = helper.ask(input, never, { onStart: () => order.push('second starts') });
  await settle();
  expect(order).toEqual(['first starts']);
  expect([helper.busy, helper.waiting]).toEqual([1, 1]);
  (await program(1)).end(exited, '{}');
  await first;
  (await program(2)).end(exited, '{}');
  await second;
  expect(order).toEqual(['first starts', 'second starts']);
  expect([helper.busy, helper.waiting]).toEqual([0, 0]);
});

test('a failed helper gives its slot back', async () => {
  const { helper, program } = setUp();
  const first = helper.ask(input, never);
  (await program(1)).end({ how: 'TIMED_OUT' });
  await expect(first).rejects.toMatchObject({ reason: 'HELPER_TIMEOUT' });
  const second = helper.ask(input, never);
  (await program(2)).end(exited, '{}');
  await second;
});

test('an abort ends the helper and rejects with its reason once it is gone', async () => {
  const { helper, observed } = setUp();
  const controller = new AbortController();
  const asked = helper.ask(input, controller.signal);
  await settle();
  controller.abort(new Error('superseded'));
  await expect(asked).rejects.toThrow('superseded');
  expect(helper.busy).toBe(0);
  expect(observed).toEqual([]);
});

test('an abort during the wait starts nothing', async () => {
  const { helper, runner } = setUp();
  void helper.ask(input, never);
  const controller = new AbortController();
  const asked = helper.ask(input, controller.signal);
  await settle();
  controller.abort(new Error('paused'));
  await expect(asked).rejects.toThrow('paused');
  expect(runner.started).toHaveLength(1);
});

test('a helper that died with the spawner is run once more, and no more than that', async () => {
  const { helper, program, runner } = setUp();
  const lucky = helper.ask(input, never);
  (await program(1)).lose();
  (await program(2)).end(exited, '{}');
  await lucky;
  const unlucky = helper.ask(input, never);
  (await program(3)).lose();
  (await program(4)).lose();
  await expect(unlucky).rejects.toMatchObject({
    reason: 'HELPER_EXIT',
    message: 'the helper was killed: the spawner ended (SIGKILL)',
  });
  expect(runner.started).toHaveLength(4);
});

test('each helper is observed with the time that it ran and why it failed', async () => {
  const { helper, program, clock, observed } = setUp();
  const first = helper.ask(input, never);
  const second = helper.ask(input, never);
  const firstProgram = await program(1);
  await clock.advance(300);
  firstProgram.end(exited, '{}');
  await first;
  const secondProgram = await program(2);
  await clock.advance(200);
  secondProgram.end(exited, '');
  await expect(second).rejects.toMatchObject({ reason: 'HELPER_EMPTY' });
  expect(observed).toEqual([
    { durationMs: 300, reason: undefined },
    { durationMs: 200, reason: 'HELPER_EMPTY' },
  ]);
});

test('a helper that could not be started says why', async () => {
  const { helper, program } = setUp();
  const asked = helper.ask(input, never);
  (await program(1)).end({ how: 'NOT_STARTED', code: 'ENOENT' });
  await expect(asked).rejects.toMatchObject({
    reason: 'HELPER_NOT_FOUND',
    message: 'helper /no/such/helper does not exist',
  });
});

test('the helper sees the environment of the service, less what is for the service', () => {
  const env = { PATH: '/bin', SLIPWAY_TOKEN: 's3cret', SLIPWAY_: 'x', HOME: '/root', GONE: undefined };
  expect(helperEnvironment(env)).toEqual({ PATH: '/bin', HOME: '/root' });
});

test('a trial gives the helper its input as it is, and tells all that came of it', async () => {
  const { helper, clock, observed, program } = setUp();
  const trial = helper.tryOut(Buffer.from('{ "identity" : "n1" }'), never);
  const helperProgram = await program(1);
  expect(helperProgram.input).toBe('{ "identity" : "n1" }');
  await clock.advance(30);
  helperProgram.end(exited, '{"msg":"hello"}', 'looked up n1');
  expect(await trial).toMatchObject({
    verdict: { kind: 'REPLY', reply: { msg: 'hello' }, text: '{"msg":"hello"}' },
    exitCode: 0,
    stderr: 'looked up n1',
    durationMs: 30,
  });
  // What the metrics count are the helpers of nodes.
  expect(observed).toEqual([]);
});

test('a helper that lives on is given each input as one line, and what it answers has no exit code', async () => {
  const { helper, program } = setUp(1, 'persistent');
  const trial = helper.tryOut(Buffer.from('{\n  "identity": "n\u2028"\r\n}'), never);
  const helperProgram = await program(1);
  expect(helperProgram.input).toBe('{   "identity": "n\\u2028" }\n');
  helperProgram.end({ how: 'ANSWERED' }, '{"msg":"hello"}');
  expect(await trial).toMatchObject({
    verdict: { kind: 'REPLY', text: '{"msg":"hello"}' },
    exitCode: undefined,
  });
});

test.each([
  ['{"identity":"N1.example.net"}', true, undefined],
  ['{', true, 'HELPER_INVALID'],
  ['', true, 'HELPER_EMPTY'],
  ['{"identity":"n2.example.net"}', false, 'HELPER_INVALID'],
])(
  'a helper that lives on is asked again unless its answer is for another node: %s',
  async (line, fits, why) => {
    const { helper, program, observed } = setUp(1, 'persistent');
    const asked = helper.ask(input, never).catch((error: unknown) => error);
    const asking = await program(1);
    expect(asking.fits).toBeUndefined();
    asking.end({ how: 'ANSWERED' }, line);
    await asked;
    expect([asking.fits, observed[0]?.reason]).toEqual([fits, why]);
    const trial = helper.tryOut(Buffer.from('{}'), never, input.identity);
    const trying = await program(2);
    trying.end({ how: 'ANSWERED' }, line);
    const { verdict } = await trial;
    expect([trying.fits, verdict.kind === 'FAILED' ? verdict.reason : undefined]).toEqual([fits, why]);
  },
);

test('an answer that nobody wants any more is looked at all the same, and its process goes on', async () => {
  const { helper, program } = setUp(1, 'persistent');
  const aborter = new AbortController();
  const asked = helper.ask(input, aborter.signal);
  const asking = await program(1);
  asking.end({ how: 'ANSWERED' }, '{}');
  aborter.abort(new Error('superseded'));
  await expect(asked).rejects.toThrow('superseded');
  expect(asking.fits).toBe(true);
});

test.each([
  [{ how: 'EXITED', code: 3, signal: null }, '', 'HELPER_EXIT', 3],
  [{ how: 'EXITED', code: null, signal: 'SIGSEGV' }, '', 'HELPER_EXIT', undefined],
  [exited, '[]', 'HELPER_INVALID', 0],
  [exited, '', 'HELPER_EMPTY', 0],
  [{ how: 'TIMED_OUT' }, '', 'HELPER_TIMEOUT', undefined],
  [{ how: 'NOT_STARTED', code: 'ENOENT' }, '', 'HELPER_NOT_FOUND', undefined],
] as const)('a trial tells how a helper failed: %o', async (end, stdout, reason, exitCode) => {
  const { helper, program } = setUp();
  const trial = helper.tryOut(Buffer.from('{}'), never);
  (await program(1)).end(end, stdout, 'oh');
  const { verdict, ...told } = await trial;
  expect(verdict).toMatchObject({ kind: 'FAILED', reason });
  expect(told).toMatchObject({ exitCode, stderr: 'oh' });
});

test('however many trials there are, one goes on at a time and nodes have the other slots', async () => {
  const { helper, program, runner } = setUp(2);
  const trials = [1, 2, 3].map(() => helper.tryOut(Buffer.from('{}'), never));
  await program(1);
  const reply = helper.ask(input, never);
  (await program(2)).end(exited, '{"configuration":{"a":"b"}}');
  await reply;
  expect(runner.started).toHaveLength(2);
  for (const n of [1, 3, 4]) (await program(n)).end(exited, '{}');
  await Promise.all(trials);
});

test('a trial that nobody waits for any more is killed, and gives its slots back', async () => {
  const { helper, program } = setUp();
  const aborter = new AbortController();
  const trial = helper.tryOut(Buffer.from('{}'), aborter.signal);
  const helperProgram = await program(1);
  aborter.abort(new Error('gone'));
  await expect(trial).rejects.toThrow('gone');
  expect(helperProgram.signal.aborted).toBe(true);
  const next = helper.tryOut(Buffer.from('{}'), never);
  (await program(2)).end(exited, '{}');
  expect((await next).exitCode).toBe(0);
});
