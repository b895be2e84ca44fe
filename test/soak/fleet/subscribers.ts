// Those who follow the event log for the whole of the run. One of them reads one message and no more.

import type { Stack } from '../../../cli/launch/stack.js';
import { Program } from '../../bench/measure/program.js';
import type { Noted } from '../../fleets/subscribers/crowd.js';
import { within } from '../within.js';

const readers = 9;
const stalled = 1;

/** A busy machine takes its time. */
const patienceMs = 60_000;

export class Subscribers {
  readonly #crowd: Program;

  private constructor(crowd: Program) {
    this.#crowd = crowd;
  }

  /** Resolves when all of them watch. */
  static async of(stack: Stack): Promise<Subscribers> {
    const address = `127.0.0.1:${stack.ports.provisioner}`;
    const words = [address, String(readers), String(stalled), stack.trust?.certificates ?? ''];
    const crowd = new Program('fleets/subscribers/crowd.ts', words);
    await within(crowd.line(), patienceMs, 'all subscribers watch');
    return new Subscribers(crowd);
  }

  /**
   * @returns what readers have noted; how late events were, since this was asked last
   * @throws Error where their program has ended, or does not answer
   */
  async noted(): Promise<Noted> {
    this.#crowd.say('ANEW');
    return within(this.#crowd.json<Noted>(), patienceMs, 'the subscribers say what they have noted');
  }
}
