import { status } from '@grpc/grpc-js';
import { beforeEach, describe, expect, test } from 'vitest';
import { FakeClock } from '../../../test/fakes/fake-clock.js';
import { RefusedError } from '../agent/refusal.js';
import type { FaultedRpc } from './fault.js';
import { Faults } from './faults.js';
import { Injection, UnansweredError } from './injection.js';
import { parseFaults } from './parse.js';

let clock: FakeClock;
let injection: Injection;
let caller: AbortController;
/** What happened, in order. */
let events: string[];
/** What the work does, each time it is done. */
let works: (() => string)[];

beforeEach(() => {
  clock = new FakeClock();
  injection = new Injection(clock);
  caller = new AbortController();
  events = [];
  works = [];
});

/** A call that these faults strike. */
function call(list: string, rpc: FaultedRpc = 'Configure'): Promise<{ text: string }> {
  const faults = new Faults({ random: () => 0 }, parseFaults(list).faults);
  return injection.around<{ text: string }>({
    rpc,
    signal: caller.signal,
    victim: {
      strike: (of) => faults.strike('web-1', of),
      reset: () => events.push('reset'),
      crash: (graceMs) => events.push(`crash ${graceMs}`),
    },
    work: async (effects) => {
      events.push(['work', ...effects].join(' '));
      return { text: works.shift()?.() ?? 'done' };
    },
    garble: ({ text }) => events.push(`garble ${text}`),
  });
}

/** Waits for nothing: a call that hangs has no outcome. */
async function outcomeOf(made: Promise<{ text: string }>): Promise<string> {
  let outcome = 'open';
  made.then(
    ({ text }) => {
      outcome = text;
    },
    (error) => {
      outcome = error instanceof UnansweredError ? 'unanswered' : String(error.message);
    },
  );
  await clock.advance(0);
  return outcome;
}

function failing(message: string): () => string {
  return () => {
    throw new Error(message);
  };
}

test('without a fault the work is done', async () => {
  expect(await call('restart:hang')).toEqual({ text: 'done' });
  expect(events).toEqual(['work']);
});

describe('there is no answer before the caller is gone', () => {
  test.each([
    ['drop-request', ['reset']],
    ['hang', []],
    ['crash-before', ['crash 0']],
    ['drop-reply', ['work drop-reply', 'reset']],
    ['hang-after', ['work hang-after']],
    ['crash-after', ['work crash-after', 'crash 0']],
  ])('%s', async (kind, expected) => {
    const made = call(`configure:${kind}`);
    expect(await outcomeOf(made)).toBe('open');
    caller.abort();
    expect(await outcomeOf(made)).toBe('unanswered');
    expect(events).toEqual(expected);
  });

  test('also where what was to be done was refused', async () => {
    works = [failing('refused')];
    const made = call('configure:drop-reply');
    expect(await outcomeOf(made)).toBe('open');
    expect(events).toEqual(['work drop-reply', 'reset']);
  });

  test('but when the process ends, and from then on at once', async () => {
    const made = call('configure:hang');
    expect(await outcomeOf(made)).toBe('open');
    injection.close();
    expect(await outcomeOf(made)).toBe('unanswered');
    expect(await outcomeOf(call('configure:hang-after'))).toBe('unanswered');
    expect(await outcomeOf(call('configure:delay:1h'))).toBe('unanswered');
  });
});

describe('delays', () => {
  test('come before the work, and add up', async () => {
    const made = call('configure:delay:1s,configure:delay:2s,configure:error:ABORTED');
    await clock.advance(2_999);
    expect(await outcomeOf(made)).toBe('open');
    await clock.advance(1);
    await expect(made).rejects.toMatchObject({ code: status.ABORTED });
    expect(events).toEqual([]);
  });

  test('end with the caller, and leave nothing behind', async () => {
    const made = call('configure:delay:1h');
    expect(await outcomeOf(made)).toBe('open');
    caller.abort(new Error('gave up'));
    await expect(made).rejects.toThrow('gave up');
    expect([events, clock.pendingTimers]).toEqual([[], 0]);
  });
});

describe('a request that comes twice', () => {
  test('is answered as it was the second time', async () => {
    works = [() => 'first', () => 'second'];
    expect(await call('configure:duplicate')).toEqual({ text: 'second' });
    works = [failing('first'), () => 'second'];
    expect(await call('configure:duplicate')).toEqual({ text: 'second' });
    works = [() => 'first', failing('second')];
    await expect(call('configure:duplicate')).rejects.toThrow('second');
  });

  test('can be answered with garbage, but for a refusal', async () => {
    expect(await call('configure:duplicate,configure:garbage')).toEqual({ text: 'done' });
    expect(events.slice(2)).toEqual(['garble done']);
    works = [failing('refused')];
    await expect(call('configure:garbage')).rejects.toThrow('refused');
  });
});

test('a reboot comes after the answer, or the refusal', async () => {
  expect(await call('configure:reboot')).toEqual({ text: 'done' });
  works = [failing('refused')];
  await expect(call('configure:reboot')).rejects.toThrow('refused');
  expect(events).toEqual(['work reboot', 'crash 50', 'work reboot', 'crash 50']);
});

test('another node answers Identify, and refuses everything else', async () => {
  await call('*:wrong-identity', 'Identify');
  expect(events).toEqual(['work wrong-identity']);
  await expect(call('*:wrong-identity', 'Restart')).rejects.toBeInstanceOf(RefusedError);
  expect(events).toHaveLength(1);
});
