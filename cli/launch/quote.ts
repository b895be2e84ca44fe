// Paths in command lines.

/** @returns the text as one word of a command line, as a POSIX shell and the setting `helper` read it */
export function quoteWord(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
