// What this process can take, by what it has taken: nodes are asked for no more than that, whatever the settings allow.
// A report over a fresh TLS connection costs some milliseconds of processor time, of which a slow machine, or one that
// others use too, has less than the settings promise.

/** A look at how busy the process was. @returns the share of the time since the last look, from 0 to 1 */
export type Busyness = () => number;

/** Of what could be taken: the rest is for those who ask for something else, and for nodes that come of themselves. */
const wantedShare = 0.7;

/** With less it is not the reports that the process was busy with. */
const leastBusyness = 0.2;
const fewestReports = 10;

/** How much a new figure counts beside those before it. */
const weight = 0.2;

/** A node that was sent away may wait for so long before it tries again: seconds. */
const longestAwaySeconds = 60;

/** Those that are answered are asked to come that much more seldom at the most. */
const mostCrowding = 12;

export class Load {
  readonly #busyness: Busyness;
  #answered = 0;
  #turnedAway = 0;
  /** Reports a second that would keep the process busy all the time. */
  #capacity = Number.POSITIVE_INFINITY;
  #crowding = 1;
  #secondsOfCalm = Number.POSITIVE_INFINITY;

  constructor(busyness: Busyness) {
    this.#busyness = busyness;
  }

  /** A report was answered, one way or the other. */
  answered(): void {
    this.#answered++;
  }

  /** A node was sent away before it could say anything. */
  turnedAway(): void {
    this.#turnedAway++;
  }

  /** Reports a second that may be asked for. Infinity while nothing is known. */
  get perSecond(): number {
    return this.#capacity * wantedShare;
  }

  /** How many nodes come for each that is answered, of late and in this second: at least 1. */
  get crowding(): number {
    return Math.max(this.#crowding, this.#came);
  }

  /** Nodes are sent away, or may not have come again since: that nothing is heard of one does not say that it is gone. */
  get crowded(): boolean {
    return this.#secondsOfCalm <= longestAwaySeconds;
  }

  /** To be called once a second. */
  tick(): void {
    const busyness = this.#busyness();
    const [answered, came] = [this.#answered, this.#came];
    this.#secondsOfCalm = this.#turnedAway > 0 ? 0 : this.#secondsOfCalm + 1;
    this.#answered = 0;
    this.#turnedAway = 0;
    this.#learn(answered, busyness);
    // A storm is there at once, and over when it has not been seen for a while.
    this.#crowding = Math.max(1, came, mixed(this.#crowding, came));
  }

  #learn(answered: number, busyness: number): void {
    const capacity = answered / busyness;
    if (busyness >= leastBusyness && answered >= fewestReports) {
      this.#capacity = Number.isFinite(this.#capacity) ? mixed(this.#capacity, capacity) : capacity;
    } else if (capacity > this.#capacity) {
      // Little was asked for, perhaps because it was once found to take little: it takes this much at least.
      this.#capacity = mixed(this.#capacity, capacity);
    }
  }

  get #came(): number {
    const answered = Math.max(this.#answered, fewestReports);
    return Math.min((answered + this.#turnedAway) / answered, mostCrowding);
  }
}

function mixed(before: number, now: number): number {
  return before + weight * (now - before);
}
