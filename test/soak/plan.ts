// When nodes come and go, and how long the services keep what they keep: such that all that fills up has filled up
// within the first quarter of the run.

export interface Plan {
  readonly durationMs: number;
  /** New nodes a second. */
  readonly rate: number;
  /** From one sample to the next. */
  readonly everyMs: number;
  /** Nodes come in racks, one after the other, each of them evenly spread over this time. */
  readonly spanMs: number;
  readonly racks: number;
  readonly nodesPerRack: number;
  /** From when a rack begins to come. */
  readonly rebootAfterMs: number;
  readonly leaveAfterMs: number;
  /** The provisioner's settings, and discovery's. */
  readonly holdMs: number;
  readonly backoffMaxMs: number;
  readonly intervalMs: number;
  readonly maxEvents: number;
  readonly provisionedRetentionMs: number;
  readonly eventRing: number;
}

/** Of those that reboot, one in so many has lost its disk, and comes unconfigured again. */
export const oneInWiped = 5;

/** Fewer than a node makes, of the provisioner and of discovery: the bound is to be reached. */
const provisioningEvents = 10;
const nodeEvents = 3;

/** The least that the event log can be told to keep. */
const fewestEvents = 1_000;

/** @param rate new nodes a second */
export function planOf({ durationMs, rate }: Pick<Plan, 'durationMs' | 'rate'>): Plan {
  const quarterMs = durationMs / 4;
  // With less than ten seconds, most of a rack's life is the start of its process.
  const spanMs = Math.round(within(quarterMs / 8, 10_000, 60_000));
  const kept = (perNode: number) =>
    Math.max(fewestEvents, Math.round((rate * perNode * quarterMs) / 2 / 1000));
  return {
    durationMs,
    rate,
    everyMs: Math.round(within(durationMs / 80, 1_000, 10_000)),
    spanMs,
    racks: Math.ceil(durationMs / spanMs),
    nodesPerRack: Math.max(1, Math.round((rate * spanMs) / 1000)),
    rebootAfterMs: 2 * spanMs,
    leaveAfterMs: 4 * spanMs,
    holdMs: Math.round(Math.min(60_000, quarterMs / 4)),
    backoffMaxMs: Math.round(Math.min(1_800_000, quarterMs / 4)),
    intervalMs: Math.min(60_000, spanMs),
    maxEvents: kept(provisioningEvents),
    provisionedRetentionMs: Math.round(Math.min(600_000, quarterMs / 4)),
    eventRing: kept(nodeEvents),
  };
}

/** What the provisioner remembers of a node that it knows no more: for so long, of so many, and so much at most. */
const rememberedMs = 2 * 3_600_000;
const mostRemembered = 100_000;
const rememberedKiB = 2;

/**
 * Names that come are always new, and the provisioner remembers a name for two hours: until then its memory grows.
 *
 * @returns by how much, at most, from the middle of the second quarter to the middle of the last: MiB
 */
export function rememberedMiB({ durationMs, rate }: Pick<Plan, 'durationMs' | 'rate'>): number {
  const names = (ms: number) => Math.min(mostRemembered, (rate * Math.min(ms, rememberedMs)) / 1000);
  return ((names((durationMs * 7) / 8) - names((durationMs * 3) / 8)) * rememberedKiB) / 1024;
}

function within(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}
