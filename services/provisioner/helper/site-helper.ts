// The site's helper (design, section 7): waits for a slot, has the spawner run the program on the input, and judges what
// came of it.

import type { Clock } from '../../../shared/clock.js';
import type { Identity } from '../../../shared/identity.js';
import type { Logger } from '../../../shared/logger.js';
import type { HelperFailureReason } from '../run/outcome.js';
import { type HelperCommand, startProblem } from './command.js';
import { asLine } from './coprocess/line.js';
import { describeLoss, isInOrder } from './coprocess/loss.js';
import { type AskOptions, type Helper, HelperError, type HelperInput, type HelperReply } from './helper.js';
import { encodeInput } from './input.js';
import { isForAnother, judge, maxOutputBytes } from './judge.js';
import { Slots } from './slots.js';
import { type ProgramRunner, Spawner } from './spawner/client.js';
import { type ProgramResult, SpawnerLostError } from './spawner/connection.js';
import type { HelperMode } from './spawner/protocol.js';
import type { HelperTrial, HelperTrials } from './trial.js';

/** One helper that ran to its end, or one answer of it, for metrics. Those that were aborted are not observed. */
export interface HelperObservation {
  /** From its start, without the wait for a slot. */
  readonly durationMs: number;
  /** undefined where it gave a usable reply. */
  readonly reason: HelperFailureReason | undefined;
}

export interface SiteHelperOptions {
  readonly command: HelperCommand;
  readonly mode: HelperMode;
  readonly timeoutMs: number;
  /** How many may run at a time. */
  readonly concurrency: number;
  /** The service's own environment. */
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
  readonly log: Logger;
  readonly observe?: (observation: HelperObservation) => void;
}

/** How a helper ended, and what follows. */
interface Judged {
  readonly result: ProgramResult;
  readonly verdict: { readonly reply: HelperReply } | { readonly error: HelperError };
}

/** A spawner that dies takes the helpers with it that it runs; each of them is run once more. */
const tries = 2;

/**
 * Starts what it takes to run helpers. A program that cannot be started is logged as an error and nothing
 * more, since it may come with a mount or a package later; until then each node fails HELPER_NOT_FOUND.
 */
export function createHelper(options: SiteHelperOptions): SiteHelper {
  const { command, mode, timeoutMs, clock, log } = options;
  const env = helperEnvironment(options.env);
  const runner = new Spawner({
    setup: { mode, command, env, timeoutMs, maxOutputBytes },
    clock,
    onGone: (loss) => {
      const { stderr } = loss;
      log[isInOrder(loss) ? 'info' : 'warn']({ ...(stderr !== '' && { stderr }) }, describeLoss(loss));
    },
    onLost: (error) => log.error(`${error.message}; another is started for the next helper`),
  });
  void startProblem(command[0], env.PATH).then((problem) => {
    if (problem !== undefined) log.error(`${problem}; nodes fail until it can be started`);
  });
  return new SiteHelper(options, env, runner);
}

/** The service's environment without its own settings, some of which are secrets. */
export function helperEnvironment(env: NodeJS.ProcessEnv): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && !name.startsWith('SLIPWAY_')) kept[name] = value;
  }
  return kept;
}

export class SiteHelper implements Helper, HelperTrials, AsyncDisposable {
  readonly #options: SiteHelperOptions;
  readonly #env: Readonly<Record<string, string>>;
  readonly #runner: ProgramRunner;
  readonly #slots: Slots;
  readonly #trials = new Slots(1);

  /** Use {@link createHelper}; a runner of one's own is for tests. */
  constructor(options: SiteHelperOptions, env: Readonly<Record<string, string>>, runner: ProgramRunner) {
    this.#options = options;
    this.#env = env;
    this.#runner = runner;
    this.#slots = new Slots(options.concurrency);
  }

  /** Helpers that run. */
  get busy(): number {
    return this.#slots.busy;
  }

  /** Callers that wait for a slot. */
  get waiting(): number {
    return this.#slots.waiting;
  }

  async ask(input: HelperInput, signal: AbortSignal, options: AskOptions = {}): Promise<HelperReply> {
    const release = await this.#slots.acquire(signal);
    try {
      options.onStart?.();
      return await this.#observed(input, signal);
    } finally {
      release();
    }
  }

  async tryOut(input: Buffer, signal: AbortSignal, asked?: Identity): Promise<HelperTrial> {
    const endTrial = await this.#trials.acquire(signal);
    try {
      const release = await this.#slots.acquire(signal);
      try {
        return await this.#try(input, signal, asked);
      } finally {
        release();
      }
    } finally {
      endTrial();
    }
  }

  /** Kills every helper that runs and resolves when nothing is left of them. */
  close(): Promise<void> {
    return this.#runner.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #observed(input: HelperInput, signal: AbortSignal): Promise<HelperReply> {
    const { clock, observe } = this.#options;
    const startedAt = clock.monotonic();
    let reason: HelperFailureReason | undefined;
    try {
      const { result, verdict } = await this.#run(encodeInput(input), signal, input.identity);
      const { stderr, stderrBytes } = result;
      if (stderrBytes > 0) {
        const fields = { identity: input.identity, stderr, stderr_bytes: stderrBytes };
        this.#options.log.debug(fields, 'helper stderr');
      }
      if ('error' in verdict) throw verdict.error;
      return verdict.reply;
    } catch (error) {
      if (error instanceof HelperError) reason = error.reason;
      throw error;
    } finally {
      if (!signal.aborted) observe?.({ durationMs: clock.monotonic() - startedAt, reason });
    }
  }

  async #try(input: Buffer, signal: AbortSignal, asked: Identity | undefined): Promise<HelperTrial> {
    const { clock } = this.#options;
    const startedAt = clock.monotonic();
    let result: ProgramResult | undefined;
    let verdict: HelperTrial['verdict'];
    try {
      const judged = await this.#run(input.toString(), signal, asked);
      result = judged.result;
      if ('error' in judged.verdict) throw judged.verdict.error;
      verdict = { kind: 'REPLY', reply: judged.verdict.reply, text: result.stdout.toString() };
    } catch (error) {
      if (!(error instanceof HelperError)) throw error;
      verdict = { kind: 'FAILED', reason: error.reason, message: error.message };
    }
    const code = result?.end.how === 'EXITED' ? result.end.code : null;
    return {
      verdict,
      exitCode: code ?? undefined,
      stderr: result?.stderr ?? '',
      durationMs: clock.monotonic() - startedAt,
    };
  }

  async #run(json: string, signal: AbortSignal, asked: Identity | undefined): Promise<Judged> {
    const encoded = Buffer.from(this.#options.mode === 'persistent' ? asLine(json) : json);
    for (let attempt = 1; ; attempt += 1) {
      signal.throwIfAborted();
      try {
        const judged = await this.#judged(await this.#runner.run(encoded, signal), asked);
        signal.throwIfAborted();
        return judged;
      } catch (error) {
        if (!(error instanceof SpawnerLostError)) throw error;
        if (attempt === tries) {
          throw new HelperError('HELPER_EXIT', `the helper was killed: ${error.message}`, { cause: error });
        }
      }
    }
  }

  /** One that lives on may be asked again once its answer was looked at, and not where that was for another node. */
  async #judged(result: ProgramResult, asked: Identity | undefined): Promise<Judged> {
    let fits = false;
    try {
      const reply = await this.#judge(result, asked);
      fits = true;
      return { result, verdict: { reply } };
    } catch (error) {
      if (!(error instanceof HelperError)) throw error;
      fits = !isForAnother(error);
      return { result, verdict: { error } };
    } finally {
      result.release?.(fits);
    }
  }

  /** @throws HelperError */
  async #judge({ end, stdout, stderr }: ProgramResult, asked: Identity | undefined): Promise<HelperReply> {
    const { command, timeoutMs } = this.#options;
    switch (end.how) {
      case 'KILLED':
        throw new HelperError('HELPER_EXIT', 'the helper was killed because the service is stopping');
      case 'NOT_STARTED': {
        const problem = await startProblem(command[0], this.#env.PATH);
        throw new HelperError(
          'HELPER_NOT_FOUND',
          problem ?? `helper ${command[0]} could not be started (${end.code})`,
        );
      }
      default:
        return judge({ end, stdout, stderr, timeoutMs, asked });
    }
  }
}
