import { describe, expect, it } from 'vitest';
import { identity } from '../../../test/fakes/node-events.js';
import { left, run } from '../../../test/fakes/waits-bench.js';
import type { Past, RunRecord } from './past.js';
import { withRecalled } from './recalled.js';

function past(runs: readonly RunRecord[], over: Partial<Past> = {}): Past {
  return {
    identity: identity('a.example.net'),
    runs,
    left: undefined,
    loop: undefined,
    conflict: undefined,
    ...over,
  };
}

const runs = Array.from({ length: 9 }, () => run());
const [one, two, three] = runs.map((each) => [each]);

describe('what is remembered and what the log tells of a node', () => {
  it('is either, where there is only one of them', () => {
    expect(withRecalled(undefined, undefined, false)).toBeUndefined();
    expect(withRecalled(past(one ?? []), undefined, false)?.runs).toEqual(one);
    expect(withRecalled(undefined, past(one ?? []), false)?.runs).toEqual(one);
  });

  it('has each run once, as it is remembered, newest first', () => {
    const told = [...(one ?? []).map((each) => ({ ...each, outcome: undefined })), ...(two ?? [])];
    const all = withRecalled(past([...(three ?? []), ...(one ?? [])]), past(told), true);
    expect(all?.runs).toEqual([...(three ?? []), ...(one ?? []), ...(two ?? [])]);
  });

  it('has no more runs than are told', () => {
    expect(withRecalled(past(runs.slice(0, 3)), past(runs.slice(3)), true)?.runs).toEqual(runs.slice(0, 8));
  });

  it('has the end of its last record, unless there is one now', () => {
    const gone = past([], { left: left('GONE') });
    expect(withRecalled(undefined, gone, false)?.left).toEqual(left('GONE'));
    expect(withRecalled(past([], { left: left('OPERATOR') }), gone, false)?.left).toEqual(left('OPERATOR'));
    expect(withRecalled(undefined, gone, true)?.left).toBeUndefined();
  });

  it('has no conflict and no loop but those that are remembered', () => {
    const conflict = { at: 1, address: 'a:1', newcomerAddress: 'b:1' };
    const loop = { times: 3, withinMs: 1 };
    expect(withRecalled(past([]), past([], { conflict, loop }), true)).toMatchObject({
      conflict: undefined,
      loop: undefined,
    });
    expect(withRecalled(past([], { conflict, loop }), past([]), true)).toMatchObject({ conflict, loop });
  });
});
