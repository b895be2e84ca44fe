// One long-lived program: is given a line, is heard until it has answered with a line, and waits for the next. Whatever
// else it does is its end: it is killed with its process group. Who is asked, and what is done then, is not known here.

import type { Clock, Timer } from '../../../../shared/clock.js';
import type { Launched } from '../spawner/launch.js';
import { killGroup } from '../spawner/process-group.js';
import {
  type Closed,
  type Exit,
  type Loss,
  type ProgramEnd,
  type ProgramReport,
  type Setup,
  stderrKept,
} from '../spawner/protocol.js';
import { Tail } from '../spawner/tail.js';
import { Answer } from './answer.js';
import { turn } from './turn.js';

/** How long pipes may stay open without their process, and a process may go on without its pipes. */
const closeMs = 500;
/** How long a program that is not asked any more may take to end by itself. */
const leaveMs = 1_000;

/** Why it ends or is ended. */
type Cause =
  | Exit
  | Closed
  | { readonly how: 'OUT_OF_TURN'; readonly fault?: 'MORE_THAN_A_LINE' | 'BEFORE_IT_HAD_READ' }
  | { readonly how: 'TOO_LARGE' | 'TIMED_OUT' | 'KILLED' };

/** What came of one question. */
export interface Outcome {
  readonly report: ProgramReport;
  /** It may have ended before it was asked: it had answered others, and of this answer there is no byte. */
  readonly mayNotHaveHeard: boolean;
}

interface Question {
  readonly answer: Answer;
  output(chunk: Buffer): void;
  resolve(outcome: Outcome): void;
}

export class Coprocess {
  readonly #launched: Launched;
  readonly #setup: Setup;
  readonly #clock: Clock;
  readonly #onGone: (loss: Loss | undefined) => void;
  #answered = 0;
  #answeredAt = Number.NEGATIVE_INFINITY;
  /** Of what it wrote since its last answer. */
  #stderr = new Tail(stderrKept);
  #question: Question | undefined;
  #isLeaving = false;
  #exit: Exit | undefined;
  /** Why it ends, once that is settled; what comes after changes nothing. */
  #cause: Cause | undefined;
  #isGone = false;
  /** Ends the wait for its pipes, or for itself. */
  #timer: Timer | undefined;

  /** @param onGone called once, when nothing is left of it */
  constructor(launched: Launched, setup: Setup, clock: Clock, onGone: (loss: Loss | undefined) => void) {
    this.#launched = launched;
    this.#setup = setup;
    this.#clock = clock;
    this.#onGone = onGone;
    const { child, stdin, stdout, stderr } = launched;
    stdout.on('data', (chunk: Buffer) => this.#hear(chunk));
    stderr.on('data', (chunk: Buffer) => this.#stderr.push(chunk));
    child.on('exit', (code, signal) => this.#exited({ how: 'EXITED', code, signal }));
    stdin.on('close', () => this.#closed('stdin'));
    stdout.on('close', () => this.#closed('stdout'));
    stderr.on('close', () => this.#goneIfClosed());
  }

  /** Whether it waits for a question. */
  get isReady(): boolean {
    const { stdin, stdout } = this.#launched;
    const isOver = this.#cause !== undefined || this.#exit !== undefined || this.#isLeaving;
    return !isOver && this.#question === undefined && !stdout.closed && stdin.writable;
  }

  /** When it answered last: monotonic milliseconds. */
  get answeredAt(): number {
    return this.#answeredAt;
  }

  /**
   * Gives it a line; only where it is ready. Resolves with its answer, or once nothing is left of it.
   *
   * @param output called with each piece of the answer, without the line end
   */
  ask(line: Buffer, output: (chunk: Buffer) => void): Promise<Outcome> {
    return new Promise((resolve) => {
      this.#question = { answer: new Answer(this.#setup.maxOutputBytes), output, resolve };
      this.#launched.stdin.write(line);
    });
  }

  /** Kills it with its process group. */
  kill(how: 'TIMED_OUT' | 'KILLED'): void {
    this.#end({ how });
  }

  /** Lets it end by itself, if it works on nothing, and kills it where it does not. */
  letGo(): void {
    if (this.#question !== undefined) {
      this.kill('KILLED');
    } else {
      this.#isLeaving = true;
      this.#launched.stdin.end();
      this.#wait(leaveMs, { how: 'KILLED' });
    }
  }

  pause(): void {
    this.#launched.stdout.pause();
  }

  resume(): void {
    this.#launched.stdout.resume();
  }

  #hear(chunk: Buffer): void {
    if (this.#cause !== undefined) return;
    const question = this.#question;
    if (question === undefined) {
      this.#end({ how: 'OUT_OF_TURN' });
      return;
    }
    const { answer } = question;
    if (answer.isComplete) {
      answer.push(chunk);
      return;
    }
    const part = answer.push(chunk);
    if (answer.isTooLarge) {
      this.#end({ how: 'TOO_LARGE' });
      return;
    }
    if (part.length > 0) question.output(part);
    if (!answer.isComplete) return;
    if (this.#launched.stdin.writableLength > 0) {
      // The rest of the question would be read as the next one.
      this.#end({ how: 'OUT_OF_TURN', fault: 'BEFORE_IT_HAD_READ' });
    } else {
      // What it wrote besides, to stdout or stderr, may be there as well and belongs to this answer.
      void turn().then(() => this.#answer(question));
    }
  }

  #answer(question: Question): void {
    if (this.#question !== question || this.#cause !== undefined) return;
    if (question.answer.mayBeTwo) {
      this.#end({ how: 'OUT_OF_TURN', fault: 'MORE_THAN_A_LINE' });
      return;
    }
    this.#question = undefined;
    this.#answered += 1;
    this.#answeredAt = this.#clock.monotonic();
    const report = this.#report({ how: 'ANSWERED' });
    this.#stderr = new Tail(stderrKept);
    this.resume();
    if (!question.answer.isAlone) this.#end({ how: 'OUT_OF_TURN' });
    question.resolve({ report, mayNotHaveHeard: false });
  }

  #exited(exit: Exit): void {
    this.#exit = exit;
    // Whoever is left of its group cannot be asked, and may hold its pipes.
    killGroup(this.#launched.pid, true);
    if (this.#launched.stdout.closed) this.#end(exit);
    else this.#wait(closeMs, exit);
    this.#goneIfClosed();
  }

  /** Pipes close a little before their process has exited, most often. */
  #closed(stream: 'stdin' | 'stdout'): void {
    if (this.#exit === undefined) {
      if (!this.#isLeaving) this.#wait(closeMs, { how: 'CLOSED', stream });
    } else if (stream === 'stdout') {
      this.#end(this.#exit);
    }
    this.#goneIfClosed();
  }

  #wait(ms: number, cause: Cause): void {
    if (this.#cause !== undefined) return;
    this.#timer?.cancel();
    this.#timer = this.#clock.setTimer(ms, () => this.#end(cause));
  }

  #end(cause: Cause): void {
    const question = this.#question;
    const hasAnswered =
      question?.answer.isComplete === true && (cause.how === 'EXITED' || cause.how === 'CLOSED');
    if (hasAnswered) this.#answer(question);
    if (this.#cause !== undefined) return;
    this.#cause = cause;
    killGroup(this.#launched.pid, this.#exit !== undefined);
    // What it still writes is not wanted, but only its end shows that nobody writes any more.
    this.resume();
    this.#timer?.cancel();
    this.#timer = this.#clock.setTimer(closeMs, () => this.#gone());
    this.#goneIfClosed();
  }

  #goneIfClosed(): void {
    const { stdout, stderr } = this.#launched;
    if (this.#cause !== undefined && this.#exit !== undefined && stdout.closed && stderr.closed) this.#gone();
  }

  #gone(): void {
    if (this.#isGone || this.#cause === undefined) return;
    this.#isGone = true;
    this.#timer?.cancel();
    this.#launched.release();
    const cause = this.#cause;
    const isByItself = cause.how === 'EXITED' || cause.how === 'CLOSED';
    const question = this.#question;
    this.#question = undefined;
    const mayNotHaveHeard = isByItself && this.#answered > 0 && question?.answer.hasBegun === false;
    const isNobodysFailure = question === undefined || mayNotHaveHeard;
    const isLoss = !this.#isLeaving && (isByItself || cause.how === 'OUT_OF_TURN') && isNobodysFailure;
    const stderr = this.#stderr.toString();
    this.#onGone(
      isLoss ? { cause, asked: question !== undefined, answered: this.#answered, stderr } : undefined,
    );
    question?.resolve({ report: this.#report(endOf(cause, this.#answered)), mayNotHaveHeard });
  }

  #report(end: ProgramEnd): ProgramReport {
    return { end, stderr: this.#stderr.toString(), stderrBytes: this.#stderr.total };
  }
}

function endOf(cause: Cause, answered: number): ProgramEnd {
  switch (cause.how) {
    case 'EXITED':
    case 'CLOSED':
      return { how: 'UNANSWERED', cause, answered };
    case 'TIMED_OUT':
      return { how: 'TIMED_OUT', answered };
    case 'OUT_OF_TURN':
      return { how: 'OUT_OF_TURN', fault: cause.fault ?? 'MORE_THAN_A_LINE' };
    case 'TOO_LARGE':
    case 'KILLED':
      return { how: cause.how };
  }
}
