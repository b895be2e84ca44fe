// Numbers with what they count.

/** `1 host`, `2 hosts`. */
export function count(number: number | bigint, one: string, many = `${one}s`): string {
  return Number(number) === 1 ? `1 ${one}` : `${number} ${many}`;
}
