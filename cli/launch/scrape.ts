// Reads a service's monitor port: its metrics and whether it is ready.

/** What one scrape of /metrics gave. */
export class Samples {
  readonly #lines: readonly string[];

  constructor(text: string) {
    this.#lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  }

  /** Adds up the samples of a metric whose labels include all of `labels`; 0 where there are none. */
  sum(metric: string, labels: Readonly<Record<string, string>> = {}): number {
    const wanted = Object.entries(labels).map(([name, value]) => `${name}="${value}"`);
    let total = 0;
    for (const line of this.#lines) {
      if (!line.startsWith(metric)) continue;
      const rest = line.slice(metric.length);
      if (!rest.startsWith('{') && !rest.startsWith(' ')) continue;
      if (wanted.every((label) => rest.includes(label)))
        total += Number(rest.slice(rest.lastIndexOf(' ') + 1));
    }
    return total;
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
