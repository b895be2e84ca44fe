import { expect, test } from 'vitest';
import { splitWords } from '../../services/provisioner/helper/words.js';
import { quoteWord } from './quote.js';

test.each(['/plain/path', '/a path/with "quotes"', "/it's/$HOME\\n", ''])('%j stays one word', (text) => {
  expect(splitWords(`sh ${quoteWord(text)}`)).toEqual(['sh', text]);
});
