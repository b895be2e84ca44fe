// The page for people who run fleets says where real processes have another end of the story.

import { expect, test } from 'vitest';
import { Page } from '../../integration/manual-support.js';
import { forms, realCellText } from '../processes/forms.js';
import { steps } from '../table.js';

test('the page says which forms of a fault have cells of their own', () => {
  const expected = forms.flatMap(({ fault, name, differs = {} }) => {
    const cells = steps.flatMap((step) => {
      const cell = differs[step];
      return cell === undefined ? [] : [`\`${step}\` ${realCellText(cell)}`];
    });
    return cells.length === 0 ? [] : [[fault, name === '' ? 'as above' : name, cells.join('; ')]];
  });
  const page = new Page('docs/faults.md');
  expect(page.rowsUnder('With real processes')).toEqual(expected);
});
