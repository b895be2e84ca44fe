// Splits the `helper` setting into words as a POSIX shell does. What the words mean is command.ts's matter.

/** The text cannot be split: a quote or a backslash at its end is left open. */
export class WordsError extends Error {
  override readonly name = 'WordsError';
}

const blanks = ' \t\n';
const escapableInDoubleQuotes = '$`"\\\n';

/**
 * Splits at blanks (space, tab, newline), honouring single quotes, double quotes and backslashes. Nothing
 * is expanded: `$`, `~`, `*`, `#` and the shell's operators stand for themselves. A backslash before a
 * newline joins two lines (design, section 7).
 *
 * @throws WordsError where a quote is not closed or the text ends in a backslash
 */
export function splitWords(text: string): string[] {
  const words: string[] = [];
  let at = 0;
  let word: string | undefined; // undefined between words; empty quotes make an empty word

  while (at < text.length) {
    const character = text.charAt(at);
    if (blanks.includes(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
      at += 1;
    } else if (character === "'") {
      const end = text.indexOf("'", at + 1);
      if (end === -1) throw new WordsError('Unterminated single-quoted string');
      word = (word ?? '') + text.slice(at + 1, end);
      at = end + 1;
    } else if (character === '"') {
      const quoted = readDoubleQuotes(text, at + 1);
      word = (word ?? '') + quoted.value;
      at = quoted.end;
    } else if (character === '\\') {
      if (at + 1 === text.length) throw new WordsError('Unterminated backslash-escape');
      const escaped = text.charAt(at + 1);
      if (escaped !== '\n') word = (word ?? '') + escaped;
      at += 2;
    } else {
      word = (word ?? '') + character;
      at += 1;
    }
  }
  if (word !== undefined) words.push(word);
  return words;
}

/** Reads up to the closing quote; `end` is the place after it. */
function readDoubleQuotes(text: string, start: number): { value: string; end: number } {
  let value = '';
  let at = start;
  while (at < text.length) {
    const character = text.charAt(at);
    if (character === '"') return { value, end: at + 1 };
    const next = text.charAt(at + 1);
    if (character === '\\' && next !== '' && escapableInDoubleQuotes.includes(next)) {
      if (next !== '\n') value += next;
      at += 2;
    } else {
      value += character;
      at += 1;
    }
  }
  throw new WordsError('Unterminated double-quoted string');
}
