// Faults in a file, which may change while the nodes run: read again soon after it was written.

import type { Clock, Timer } from '../../../shared/clock.js';
import { StartError } from '../../../shared/process/start-error.js';
import type { Fault } from './fault.js';
import { readFaultText } from './fault-text.js';
import { parseFaults } from './parse.js';

export interface FaultFileOptions {
  readonly path: string;
  readonly clock: Clock;
  /** Told when other faults were read than before. */
  readonly onChange: (faults: readonly Fault[]) => void;
  /** Told once of each state of the file that cannot be used; what it held before stays. */
  readonly warn: (message: string) => void;
  /** Default: reads the file. */
  readonly read?: (path: string) => Promise<string>;
}

/** How often the file is looked at: milliseconds. What two looks find the same is no longer being written. */
const everyMs = 250;

/** So many lines that are wrong are told; who wrote more than that meant another file. */
const mostProblems = 10;

export class FaultFile {
  readonly #options: FaultFileOptions;
  readonly #read: (path: string) => Promise<string>;
  #faults: readonly Fault[] = [];
  /** What the last look found, and what was last made use of or warned about. */
  #seen: Look;
  #done: Look;
  #looking = Promise.resolve();
  #timer: Timer | undefined;
  #closed = false;

  private constructor(options: FaultFileOptions) {
    this.#options = options;
    this.#read = options.read ?? readFaultText;
    this.#seen = this.#done = { text: undefined, problem: '' };
  }

  /** @throws StartError naming each line that is wrong */
  static async open(options: FaultFileOptions): Promise<FaultFile> {
    const file = new FaultFile(options);
    const look = await file.#look();
    const parsed = parse(look);
    if (parsed.problems.length > 0) {
      throw new StartError(`--fault-file ${options.path} ${parsed.problems.join('; ')}`);
    }
    file.#faults = parsed.faults;
    file.#seen = file.#done = look;
    file.#lookLater();
    return file;
  }

  /** Those of the file, as it was when it could last be used. */
  get faults(): readonly Fault[] {
    return this.#faults;
  }

  /** Reads the file now, and takes it as it is. */
  refresh(): Promise<void> {
    this.#looking = this.#looking.then(async () => this.#use(await this.#look()));
    return this.#looking;
  }

  close(): void {
    this.#closed = true;
    this.#timer?.cancel();
  }

  #lookLater(): void {
    this.#timer = this.#options.clock.setTimer(everyMs, () => {
      this.#looking = this.#looking.then(async () => {
        const look = await this.#look();
        if (isSame(look, this.#seen)) this.#use(look);
        this.#seen = look;
        if (!this.#closed) this.#lookLater();
      });
    });
  }

  #use(look: Look): void {
    if (this.#closed || isSame(look, this.#done)) return;
    this.#done = look;
    const { faults, problems } = parse(look);
    if (problems.length > 0) {
      const { path, warn } = this.#options;
      warn(`--fault-file ${path} ${problems.join('; ')}; the faults that were there before stay in force`);
      return;
    }
    this.#faults = faults;
    this.#options.onChange(faults);
  }

  async #look(): Promise<Look> {
    try {
      return { text: await this.#read(this.#options.path), problem: '' };
    } catch (error) {
      return { text: undefined, problem: error instanceof Error ? error.message : String(error) };
    }
  }
}

interface Look {
  /** Undefined where the file cannot be read. */
  readonly text: string | undefined;
  readonly problem: string;
}

function isSame(one: Look, other: Look): boolean {
  return one.text === other.text && one.problem === other.problem;
}

/** Lines of faults; what follows # is a comment. */
function parse({ text, problem }: Look): { faults: Fault[]; problems: string[] } {
  if (text === undefined) return { faults: [], problems: [`cannot be read: ${problem}`] };
  const faults: Fault[] = [];
  const problems: string[] = [];
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const [list = ''] = line.split('#');
    if (list.trim() === '') continue;
    const parsed = parseFaults(list);
    faults.push(...parsed.faults);
    problems.push(...parsed.problems.map((each) => `line ${index + 1}: ${each}`));
    if (problems.length < mostProblems) continue;
    return { faults, problems: [...problems.slice(0, mostProblems), 'and perhaps more after it'] };
  }
  return { faults, problems };
}
