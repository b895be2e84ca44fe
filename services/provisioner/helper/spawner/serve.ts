// The spawner's work: starts programs as the service asks and passes on what becomes of them. When the
// service is gone, however it went, everything that runs is killed.

import type { Duplex } from 'node:stream';
import type { Clock } from '../../../../shared/clock.js';
import { FrameReader } from './frames.js';
import { type Program, startProgram } from './program.js';
import { decodeToSpawner, encodeMessage, type FromSpawner, type Setup, type ToSpawner } from './protocol.js';

/** Resolves when the service has closed the channel and every program has ended. */
export function serve(channel: Duplex, clock: Clock): Promise<void> {
  const programs = new Map<number, Program>();
  const reader = new FrameReader();
  let setup: Setup | undefined;
  let closed = false;

  return new Promise((resolve) => {
    channel.on('data', (piece: Buffer) => {
      for (const frame of reader.push(piece)) handle(decodeToSpawner(frame));
    });
    channel.on('drain', () => {
      for (const program of programs.values()) program.resume();
    });
    channel.on('end', close);
    channel.on('close', close);
    channel.on('error', close);

    function handle(message: ToSpawner): void {
      switch (message.type) {
        case 'SETUP':
          setup = message.setup;
          break;
        case 'RUN':
          if (setup !== undefined) start(setup, message.id, message.input);
          break;
        case 'KILL':
          programs.get(message.id)?.kill();
          break;
      }
    }

    function start(current: Setup, id: number, input: Buffer): void {
      const program = startProgram(current, input, clock, {
        started: (pid) => send({ type: 'STARTED', id, pid }),
        output: (chunk) => send({ type: 'OUTPUT', id, chunk }),
        ended: (report) => {
          programs.delete(id);
          send({ type: 'ENDED', id, report });
          resolveIfDone();
        },
      });
      programs.set(id, program);
    }

    function send(message: FromSpawner): void {
      if (closed) return;
      const taken = channel.write(encodeMessage(message));
      // What the service does not read yet stays with the programs and not in memory here.
      if (!taken) for (const program of programs.values()) program.pause();
    }

    function close(): void {
      if (closed) return;
      closed = true;
      for (const program of programs.values()) program.kill();
      resolveIfDone();
    }

    function resolveIfDone(): void {
      if (closed && programs.size === 0) resolve();
    }
  });
}
