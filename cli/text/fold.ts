// Texts made to fit into lines.

/** Between words that stay in one line, such as a number and what it counts. It is shown as any other blank. */
export const glue = '\u00a0';

/**
 * Breaks a text between words into lines of at most `width` characters. A word that is longer has a line of its own.
 *
 * @param width undefined: the text stays one line
 */
export function fold(text: string, width: number | undefined): string[] {
  if (width === undefined) return [unglued(text)];
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, line].map(unglued);
}

function unglued(text: string): string {
  return text.replaceAll(glue, ' ');
}

/** Folds a text under a margin of spaces. */
export function indented(text: string, margin: number, columns: number | undefined): string[] {
  const width = columns === undefined ? undefined : Math.max(columns - margin, 20);
  return fold(text, width).map((line) => ' '.repeat(margin) + line);
}

/** Cuts what does not fit, and says so. */
export function cut(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, Math.max(width - 1, 0)).trimEnd()}…`;
}
