// What this process can take, by what it has taken: nodes are asked for no more than that, whatever the settings allow.
// A report over a fresh TLS connection costs some milliseconds of processor time, of which a slow machine, or one that
// others use too, has less than the settings promise.

/** A look at how busy the process was. @returns for how much of the time since the last look: milliseconds */
export type BusyTime = () => number;

/** Of what could be taken: the rest is for those who ask for something else, and for nodes that come of themselves. */
const wantedShare = 0.7;

/** With less it is not the reports that the process was busy with. Milliseconds. */
const leastBusyMs = 200;
const fewestReports = 10;

/**
 * What it is taken to be able to at least. Where it is busy with other things for a while, or with strangers who report
 * nothing, nodes are not to be told to stay away for hours: they would, also when that is long over.
 */
const leastCapacity = 50;

/** How much a new figure counts beside those before it. */
const weight = 0.2;

/** A node that was sent away may wait for so long before it tries again: seconds. */
const longestAwaySeconds = 60;

/** For so long in a row it is said that nodes do not get in, lest whoever floods the door decide that none is ever gone. */
const longestCrowdedSeconds = 1800;

/** Those that are answered are asked to come that much more seldom at the most. */
const mostCrowding = 12;

export class Load {
  readonly #busyMs: BusyTime;
  #answered = 0;
  #turnedAway = 0;
  /** Reports a second that would keep the process busy all the time. */
  #capacity = Number.POSITIVE_INFINITY;
  #crowding = 1;
  #secondsOfCalm = Number.POSITIVE_INFINITY;
  #secondsCrowded = 0;

  constructor(busyMs: BusyTime) {
    this.#busyMs = busyMs;
  }

  /** A report came in, and is answered one way or the other. */
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

  /**
   * Nodes are sent away, or may not have come again since: that nothing is heard of one does not say that it is gone. For
   * half an hour in a row at the most; then it does, until it has been calm.
   */
  get crowded(): boolean {
    return this.#secondsOfCalm <= longestAwaySeconds && this.#secondsCrowded <= longestCrowdedSeconds;
  }

  /** To be called once a second. */
  tick(): void {
    const busyMs = this.#busyMs();
    const [answered, came] = [this.#answered, this.#came];
    this.#secondsOfCalm = this.#turnedAway > 0 ? 0 : this.#secondsOfCalm + 1;
    this.#secondsCrowded = this.#secondsOfCalm <= longestAwaySeconds ? this.#secondsCrowded + 1 : 0;
    this.#answered = 0;
    this.#turnedAway = 0;
    this.#learn(answered, busyMs);
    // A storm is there at once, and over when it has not been seen for a while.
    this.#crowding = Math.max(1, came, mixed(this.#crowding, came));
  }

  #learn(answered: number, busyMs: number): void {
    const capacity = Math.max((answered * 1000) / busyMs, leastCapacity);
    if (busyMs >= leastBusyMs && answered >= fewestReports) {
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
