// Makes one line of an input, for programs that read line by line.

/** White space where they stand in JSON; some readers take a carriage return for the end of a line. */
const lineBreaks = /\r\n|[\r\n]/g;
/** Allowed as they are in JSON's strings, and line ends to some readers, among them Node's readline. */
const lineSeparators = /[\u0085\u2028\u2029]/g;

/**
 * Writes JSON text as one line, with a line end. The text says what it said before; what is no JSON may not.
 */
export function asLine(json: string): string {
  const text = json.trimEnd().replace(lineBreaks, ' ');
  return `${text.replace(lineSeparators, escaped)}\n`;
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
