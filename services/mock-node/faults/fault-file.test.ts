import { beforeEach, describe, expect, test } from 'vitest';
import { StartError } from '../../../shared/process/start-error.js';
import { FakeClock } from '../../../test/fakes/fake-clock.js';
import { FaultFile } from './fault-file.js';
import { formatFaults } from './parse.js';

let clock: FakeClock;
/** What the file holds; an error: why it cannot be read. */
let content: string | Error;
let changes: string[];
let warnings: string[];

beforeEach(() => {
  clock = new FakeClock();
  content = '';
  changes = [];
  warnings = [];
});

function open(): Promise<FaultFile> {
  return FaultFile.open({
    path: '/faults',
    clock,
    onChange: (faults) => changes.push(formatFaults(faults)),
    warn: (message) => warnings.push(message),
    read: async () => {
      if (content instanceof Error) throw content;
      return content;
    },
  });
}

test('faults stand one or more a line, with comments and empty lines between them', async () => {
  content = '# of the replies\nconfigure:drop-reply, restart:drop-reply # both\r\n\n  jwt:hang:x1\n#';
  expect(formatFaults((await open()).faults)).toBe('configure:drop-reply, restart:drop-reply, jwt:hang:x1');
});

test('a file that holds nothing is in order', async () => {
  expect((await open()).faults).toEqual([]);
});

describe('at the start', () => {
  test('what is wrong is told with its line', async () => {
    content = 'jwt:hang\nkey:hnag\n\nfoo:hang,csr:hang';
    const opened = open();
    await expect(opened).rejects.toBeInstanceOf(StartError);
    await expect(opened).rejects.toThrow(
      /^--fault-file \/faults line 2: "key:hnag": .*did you mean hang\?; line 4: "foo:hang": expected an RPC/,
    );
  });

  test('of a file that is something else altogether no more is told than people read', async () => {
    content = Array.from({ length: 50_000 }, (_, index) => `ELF${index}`).join('\n');
    const problem = await open().catch((error: unknown) => String(error));
    expect(problem).toMatch(/line 10: "ELF9": .*; and perhaps more after it$/);
    expect(problem).not.toContain('line 11');
  });

  test('a file that is not there is told', async () => {
    content = new Error('ENOENT: no such file');
    await expect(open()).rejects.toThrow('--fault-file /faults cannot be read: ENOENT');
  });
});

describe('a change', () => {
  test('counts when two looks have found it the same', async () => {
    content = 'jwt:hang';
    const file = await open();
    await clock.advance(1_000);
    content = 'jwt:ha';
    await clock.advance(250);
    content = 'jwt:hang,key:hang';
    await clock.advance(250);
    expect(changes).toEqual([]);
    await clock.advance(250);
    expect(changes).toEqual(['jwt:hang, key:hang']);
    expect(formatFaults(file.faults)).toBe('jwt:hang, key:hang');
    await clock.advance(1_000);
    expect([changes.length, warnings]).toEqual([1, []]);
  });

  test('counts at once when the file is to be read now', async () => {
    const file = await open();
    content = 'jwt:hang';
    await file.refresh();
    expect(changes).toEqual(['jwt:hang']);
    await clock.advance(1_000);
    expect(changes).toHaveLength(1);
  });

  test('that is wrong is warned about once, and what was there stays', async () => {
    content = 'jwt:hang';
    const file = await open();
    content = 'jwt:hnag';
    await clock.advance(2_000);
    expect(warnings).toEqual([
      expect.stringMatching(
        /^--fault-file \/faults line 1: "jwt:hnag": .*; the faults that were there before stay/,
      ),
    ]);
    content = new Error('EACCES');
    await clock.advance(2_000);
    expect(warnings).toHaveLength(2);
    expect([formatFaults(file.faults), changes]).toEqual(['jwt:hang', []]);
    content = 'key:hang';
    await clock.advance(500);
    expect(changes).toEqual(['key:hang']);
  });

  test('after the end is not looked for', async () => {
    const file = await open();
    file.close();
    content = 'jwt:hang';
    await clock.advance(2_000);
    await file.refresh();
    expect([changes, clock.pendingTimers]).toEqual([[], 0]);
  });
});
