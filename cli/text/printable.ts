// Texts that others wrote: nothing in them reaches the terminal as it is.

/** What would move the cursor, colour the screen or turn the direction of writing is shown by its number. */
export function printable(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Cf}\u2028\u2029]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
}
