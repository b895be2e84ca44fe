// The result of a check of a configuration: every problem as the service would print it, and every warning.

import { printable } from '../../shared/printable.js';
import { paint } from '../text/paint.js';
import type { View } from '../text/view.js';
import type { Checked } from './check.js';

export interface CheckedLines {
  readonly results: readonly string[];
  readonly errors: readonly string[];
}

/** @returns what goes to standard output, and what to standard error */
export function checkedLines(
  service: string,
  { problems, warnings, message }: Checked,
  view: View,
): CheckedLines {
  const warned = warnings.map((text) => paint({ text: `warning: ${printable(text)}`, tone: 'busy' }, view));
  if (problems.length > 0) {
    return { results: [], errors: [...warned, ...message.split('\n').map(printable)] };
  }
  return {
    results: [paint({ text: `ok: ${service} can start with it`, tone: 'good' }, view)],
    errors: warned,
  };
}
