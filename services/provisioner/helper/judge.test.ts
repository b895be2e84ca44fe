import { expect, test } from 'vitest';
import type { Identity } from '../../../shared/identity.js';
import { type HelperRun, judge } from './judge.js';

const good = '{"msg":"fine"}';

function judged(end: HelperRun['end'], stdout = '', stderr = ''): unknown {
  try {
    return judge({ end, stdout: Buffer.from(stdout), stderr, timeoutMs: 10_000 });
  } catch (error) {
    return error;
  }
}

test('a helper that exits with 0 is judged by what it wrote', () => {
  expect(judged({ how: 'EXITED', code: 0, signal: null }, good)).toMatchObject({ msg: 'fine' });
});

test('how the helper ended comes before what it wrote', () => {
  expect(judged({ how: 'EXITED', code: 3, signal: null }, good, 'no such host\n')).toMatchObject({
    reason: 'HELPER_EXIT',
    message: 'the helper exited with code 3: no such host',
  });
  expect(judged({ how: 'EXITED', code: null, signal: 'SIGSEGV' }, 'junk')).toMatchObject({
    reason: 'HELPER_EXIT',
    message: 'the helper was killed by SIGSEGV',
  });
  expect(judged({ how: 'TIMED_OUT' }, good, 'waiting for the CMDB')).toMatchObject({
    reason: 'HELPER_TIMEOUT',
    message: 'the helper, or a process that it started, was not done after 10s: waiting for the CMDB',
  });
  expect(judged({ how: 'TOO_LARGE' }, good)).toMatchObject({ reason: 'HELPER_TOO_LARGE' });
});

test('no byte is HELPER_EMPTY, with what the helper said on stderr; a blank line is HELPER_INVALID', () => {
  const exited = { how: 'EXITED', code: 0, signal: null } as const;
  expect(judged(exited, '', 'warning: nothing to say')).toMatchObject({
    reason: 'HELPER_EMPTY',
    message: 'the helper wrote nothing: warning: nothing to say',
  });
  expect(judged(exited, '\n')).toMatchObject({ reason: 'HELPER_INVALID' });
});

test('bytes that are no UTF-8 become replacement characters', () => {
  const stdout = Buffer.concat([Buffer.from('{"msg":"'), Buffer.from([0xe9, 0xff]), Buffer.from('"}')]);
  const end = { how: 'EXITED', code: 0, signal: null } as const;
  expect(judge({ end, stdout, stderr: '', timeoutMs: 1 }).msg).toBe('\ufffd\ufffd');
});

const hint = 'helper_mode: persistent needs a program that answers line by line';

test('a line is judged as the output of a program is', () => {
  const answered = { how: 'ANSWERED' } as const;
  expect(judged(answered, good)).toMatchObject({ msg: 'fine' });
  expect(judged(answered, `${good}\r`)).toMatchObject({ msg: 'fine' });
  for (const blank of ['', '\r', ' ']) {
    expect(judged(answered, blank, 'oh')).toMatchObject({
      reason: 'HELPER_EMPTY',
      message: 'the helper answered with an empty line: oh',
    });
  }
  expect(judged(answered, '{')).toMatchObject({
    reason: 'HELPER_INVALID',
    message: expect.stringMatching(/; with helper_mode: persistent an answer is one line$/),
  });
  expect(judged(answered, '{"msg":1}')).toMatchObject({
    reason: 'HELPER_INVALID',
    message: 'msg: expected a string, got the number 1',
  });
});

test('a long-lived program that is gone without an answer is HELPER_EXIT, with a hint where it is of another kind', () => {
  const gone = (code: number | null, signal: string | null, answered: number, stdout = '') =>
    judged({ how: 'UNANSWERED', cause: { how: 'EXITED', code, signal }, answered }, stdout, 'oh');
  expect(gone(0, null, 0)).toMatchObject({
    reason: 'HELPER_EXIT',
    message: `the helper exited with code 0 before it answered; ${hint}: oh`,
  });
  expect(gone(0, null, 5)).toMatchObject({ message: 'the helper exited with code 0 before it answered: oh' });
  expect(gone(3, null, 0)).toMatchObject({ message: 'the helper exited with code 3 before it answered: oh' });
  expect(gone(null, 'SIGKILL', 2, '{')).toMatchObject({
    message: 'the helper was killed by SIGKILL within its answer: oh',
  });
});

test('a long-lived program that is late is HELPER_TIMEOUT, with a hint where it never answered', () => {
  expect(judged({ how: 'TIMED_OUT', answered: 4 }, '', 'oh')).toMatchObject({
    reason: 'HELPER_TIMEOUT',
    message: 'the helper did not answer within 10s: oh',
  });
  expect(judged({ how: 'TIMED_OUT', answered: 0 })).toMatchObject({
    message: `the helper did not answer within 10s; it has answered nothing yet: ${hint}`,
  });
});

test('a long-lived program that answers out of turn is HELPER_INVALID', () => {
  for (const fault of ['MORE_THAN_A_LINE', 'BEFORE_IT_HAD_READ'] as const) {
    expect(judged({ how: 'OUT_OF_TURN', fault }, good)).toMatchObject({
      reason: 'HELPER_INVALID',
      message: expect.stringContaining('helper_mode: persistent'),
    });
  }
});

test('only a line can be for another node than the one asked about', () => {
  const asked = 'n1' as Identity;
  const run = { stdout: Buffer.from('{"identity":"n2","msg":"fine"}'), stderr: '', timeoutMs: 1, asked };
  expect(judge({ ...run, end: { how: 'EXITED', code: 0, signal: null } }).msg).toBe('fine');
  expect(() => judge({ ...run, end: { how: 'ANSWERED' } })).toThrow(
    'identity: the answer is for n2, and n1 was asked about',
  );
});
