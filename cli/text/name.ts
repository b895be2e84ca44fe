// Names of enum values, as the contract has them: `BACKING_OFF`.

/** @returns empty for one that is not set; the number of one that this version does not know */
export function nameOf(all: Readonly<Record<string, number>>, value: number): string {
  const [name] = Object.entries(all).find(([, each]) => each === value) ?? [`${value}`];
  return name === 'UNSPECIFIED' ? '' : name;
}

/** All names of an enum that can be meant. */
export function namesOf(all: Readonly<Record<string, number>>): string[] {
  return Object.entries(all).flatMap(([name, value]) => (value > 0 ? [name] : []));
}
