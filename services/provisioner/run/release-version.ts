// The order of releases, as RPM has it: epoch:version-release, with tilde and caret (design, section 9). It decides
// whether a node has the release that its helper wants; what follows is decision.ts's matter.

/** Before 0, after 0, or the same: what RPM (librpm 4.18) says of two releases, in time linear in their lengths. */
export function compareReleases(a: string, b: string): -1 | 0 | 1 {
  const one = parse(a);
  const other = parse(b);
  return (
    compareLabels(one.epoch, other.epoch) ||
    compareLabels(one.version, other.version) ||
    compareRevisions(one.revision, other.revision)
  );
}

/** Whether two names are of the same release: `1.0` and `0:1.00` are. */
export function isSameRelease(a: string, b: string): boolean {
  return compareReleases(a, b) === 0;
}

interface ReleaseVersion {
  readonly epoch: string;
  readonly version: string;
  /** What RPM calls the release: behind the last hyphen. undefined where there is no hyphen. */
  readonly revision: string | undefined;
}

/** Only digits, or nothing at all, before the first colon are an epoch; without one it is 0. */
function parse(text: string): ReleaseVersion {
  const epoch = /^[0-9]*(?=:)/.exec(text)?.[0];
  const rest = epoch === undefined ? text : text.slice(epoch.length + 1);
  const hyphen = rest.lastIndexOf('-');
  return {
    epoch: epoch || '0',
    version: hyphen < 0 ? rest : rest.slice(0, hyphen),
    revision: hyphen < 0 ? undefined : rest.slice(hyphen + 1),
  };
}

/** None is before any, even an empty one. */
function compareRevisions(a: string | undefined, b: string | undefined): -1 | 0 | 1 {
  if (a === undefined || b === undefined) return compare(Number(a !== undefined), Number(b !== undefined));
  return compareLabels(a, b);
}

/**
 * What a label is made of; all else in it, other than ASCII too, only separates. The rank is that of the first
 * difference: a tilde is before the end, so that 1.0~rc1 is before 1.0; a caret right behind it, so that 1.0^git1
 * is behind 1.0 and before 1.0.1; and a word is before a number.
 */
const ranks = { TILDE: 0, END: 1, CARET: 2, WORD: 3, NUMBER: 4 } as const;

interface Segment {
  readonly rank: (typeof ranks)[keyof typeof ranks];
  /** Without leading zeros where it is a number. */
  readonly text: string;
}

function compareLabels(a: string, b: string): -1 | 0 | 1 {
  const ours = segmentsOf(a);
  const theirs = segmentsOf(b);
  for (;;) {
    const one = ours.next().value;
    const other = theirs.next().value;
    const order = compareSegments(one, other);
    if (order !== 0 || one.rank === ranks.END) return order;
  }
}

function compareSegments(one: Segment, other: Segment): -1 | 0 | 1 {
  if (one.rank !== other.rank) return compare(one.rank, other.rank);
  // However many digits: a number that would be rounded might look like another one.
  if (one.rank === ranks.NUMBER && one.text.length !== other.text.length) {
    return compare(one.text.length, other.text.length);
  }
  return compare(one.text, other.text);
}

/** Ends with END for ever. */
function* segmentsOf(label: string): Generator<Segment, never, void> {
  for (const [text] of label.matchAll(/~|\^|[A-Za-z]+|[0-9]+/g)) yield toSegment(text);
  for (;;) yield { rank: ranks.END, text: '' };
}

function toSegment(text: string): Segment {
  if (text === '~') return { rank: ranks.TILDE, text };
  if (text === '^') return { rank: ranks.CARET, text };
  return /^[0-9]/.test(text)
    ? { rank: ranks.NUMBER, text: text.replace(/^0+/, '') }
    : { rank: ranks.WORD, text };
}

/** By code unit, whatever the locale. */
function compare<T extends number | string>(a: T, b: T): -1 | 0 | 1 {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
