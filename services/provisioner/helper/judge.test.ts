import { expect, test } from 'vitest';
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
