// Reads a service's monitor port: its metrics and whether it is ready.

/** What one scrape of /metrics gave. */
export class Samples {
  readonly #lines: readonly string[];

  constructor(text: string) {
    this.#lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  }

  /** Adds up the samples of a metric whose labels include all of `labels`; 0 where there are none. */
  sum(metric: string, labels: Readonly<Record<string, string>> = {}): number {
    let total = 0;
    for (const { value } of this.#find(metric, labels)) total += value;
    return total;
  }

  /** The same by the values of one label, without those that add up to 0. */
  sumBy(label: string, metric: string, labels: Readonly<Record<string, string>> = {}): Map<string, number> {
    const totals = new Map<string, number>();
    const pattern = new RegExp(`[{,]${label}="([^"]*)"`);
    for (const { text, value } of this.#find(metric, labels)) {
      const of = pattern.exec(text)?.[1];
      if (of !== undefined && value !== 0) totals.set(of, (totals.get(of) ?? 0) + value);
    }
    return totals;
  }

  *#find(metric: string, labels: Readonly<Record<string, string>>) {
    const wanted = Object.entries(labels).map(([name, value]) => `${name}="${value}"`);
    for (const line of this.#lines) {
      if (!line.startsWith(metric)) continue;
      const text = line.slice(metric.length);
      if (!text.startsWith('{') && !text.startsWith(' ')) continue;
      if (wanted.every((label) => text.includes(label))) {
        yield { text, value: Number(text.slice(text.lastIndexOf(' ') + 1)) };
      }
    }
  }
}

/** @returns what /metrics of a monitor port on loopback gives, or undefined where nothing answers */
export async function scrape(monitorPort: number): Promise<Samples | undefined> {
  const text = await get(monitorPort, '/metrics');
  return text === undefined ? undefined : new Samples(text);
}

/** @returns true where /readyz of a monitor port on loopback says ready */
export async function isReady(monitorPort: number): Promise<boolean> {
  return (await get(monitorPort, '/readyz')) !== undefined;
}

async function get(port: number, path: string): Promise<string | undefined> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { signal: AbortSignal.timeout(5_000) });
    const text = await response.text();
    return response.ok ? text : undefined;
  } catch {
    return undefined;
  }
}
