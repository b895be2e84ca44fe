// Words of the command line that are one of a few.

import { InvalidArgumentError } from 'commander';
import { suggestion } from '../../shared/config/nearest.js';
import { namesOf } from './name.js';

/**
 * Makes the parser of an option that takes names of an enum, with commas between them, in upper or lower case; one that
 * is given several times adds up.
 *
 * @param all of them; "-" is as good as "_"
 */
export function enumNames<E extends number>(all: Readonly<Record<string, E>>) {
  return (text: string, before: readonly E[] = []): E[] => [
    ...before,
    ...text.split(',').map((word) => enumNamed(word, all)),
  ];
}

function enumNamed<E extends number>(word: string, all: Readonly<Record<string, E>>): E {
  const name = word.trim().toUpperCase().replaceAll(/[- ]/g, '_');
  const names = namesOf(all);
  const value = all[name];
  if (value !== undefined && names.includes(name)) return value;
  throw new InvalidArgumentError(
    `${JSON.stringify(word)}: expected one of ${names.join(', ')}${suggestion(name, names)}.`,
  );
}
