// How large the fleets of tests are: as the tests say, or as the environment does.

/** @returns the number in an environment variable, or the one that is usual */
export function size(variable: 'FLEET_NODES' | 'FLEET_KILLS' | 'FLEET_SUBSCRIBERS', usual: number): number {
  const text = process.env[variable] ?? '';
  return /^\d+$/.test(text) ? Number(text) : usual;
}
