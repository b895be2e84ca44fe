// What is known of the pair at one moment: numbers by name. What a service does not say at that moment has no name.

export interface Sample {
  /** From the beginning of the run. */
  readonly atMs: number;
  readonly figures: Figures;
}

export type Figures = Readonly<Record<string, number>>;

/** @returns the line of a sample in the file: JSON with all figures side by side */
export function lineOf({ atMs, figures }: Sample, time: Date): string {
  const kept = Object.entries(figures).map(([name, value]) => [name, Math.round(value * 1000) / 1000]);
  return `${JSON.stringify({ time, seconds: Math.round(atMs / 1000), ...Object.fromEntries(kept) })}\n`;
}
