import { describe, expect, it } from 'vitest';
import { newRunId } from '../../../shared/identity.js';
import { loggerTo } from '../../../shared/logger.js';
import { identity } from '../../../test/fakes/node-events.js';
import { event } from '../../../test/fakes/provisioning-events.js';
import type { ProvisioningEvent } from './event.js';
import { logLines } from './log-lines.js';

const runId = newRunId();
const name = identity('a.example.net');
const of = { identity: name, runId };

const run: ProvisioningEvent[] = [
  event('HOST_QUEUED', { identity: name }),
  event('RUN_STARTED', of),
  event('STEP_COMPLETED', of),
  event('STEP_FAILED', of),
  event('RUN_FINISHED', {
    ...of,
    outcome: 'FAILED',
    reason: 'RPC_FAILED',
    message: 'connection dropped',
    durationMs: 12.6,
    nextState: 'RELEASED',
    nextStateMs: undefined,
    failuresInRow: 1,
  }),
  event('HOST_RELEASED', { identity: name }),
];

function logged(level: 'debug' | 'info', events: readonly ProvisioningEvent[]) {
  const lines: Record<string, unknown>[] = [];
  const sink = logLines(
    loggerTo(
      { write: (line) => lines.push(JSON.parse(line)) },
      { service: 'provisioner', site: 'lab', level },
    ),
  );
  for (const one of events) sink.publish(one);
  return lines;
}

describe('the log of a run', () => {
  it('is one info line, with who, which run, how it ended, why and how long it took', () => {
    const infos = logged('info', run).filter(({ level }) => level === 'info');
    expect(infos).toEqual([
      expect.objectContaining({
        identity: 'a.example.net',
        run_id: runId,
        outcome: 'FAILED',
        reason: 'RPC_FAILED',
        duration_ms: 13,
        next_state: 'RELEASED',
        failures_in_row: 1,
        msg: 'run finished: FAILED',
      }),
    ]);
  });

  it('has failed attempts at warn and the rest at debug', () => {
    const levels = logged('debug', run).map(({ level, msg }) => [level, msg]);
    expect(levels).toEqual([
      ['debug', 'host queued'],
      ['debug', 'run started'],
      ['debug', 'step completed'],
      ['warn', 'step failed and is tried again'],
      ['info', 'run finished: FAILED'],
      ['debug', 'host released'],
    ]);
  });
});
