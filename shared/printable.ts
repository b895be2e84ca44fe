// Texts that others wrote, nodes and helpers among them, on a terminal: nothing in them moves its cursor, colours it or
// turns the direction of writing.

/** Shows by its number, as `\u{1b}`, whatever a terminal would obey, line breaks among it. */
export function printable(text: string): string {
  return text.replaceAll(
    /[\p{Cc}\p{Cf}\u2028\u2029]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
}

/**
 * Escapes in JSON what a terminal would obey and JSON allows as it is. It says the same to whoever parses it; the
 * white space between its parts is left alone.
 */
export function printableJson(json: string): string {
  return json.replaceAll(/[\u007f-\u009f\p{Cf}\u2028\u2029]/gu, (character) =>
    character.replaceAll(/./gs, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  );
}

/**
 * Makes the texts in a line of JSON printable, for who shows them as they are; their line breaks and tabs stay.
 *
 * @param line in which all else that a terminal would obey is escaped: that of {@link printableJson}
 */
export function shownJson(line: string): string {
  return line.replaceAll(/\\(?:u([0-9a-f]{4})|[^u])/g, (found, unit: string | undefined) => {
    const number = unit === undefined ? lettered[found] : unit.replace(/^0+(?=.)/, '');
    return number === undefined ? found : `\\\\u{${number}}`;
  });
}

/** Escapes of JSON that have a letter and not a number. */
const lettered: Readonly<Record<string, string>> = { '\\b': '8', '\\f': 'c', '\\r': 'd' };
