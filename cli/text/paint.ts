// Colours: what a text means to whoever looks for trouble. Where there are none, the text says it alone.

import type { View } from './view.js';

export type Tone = 'good' | 'bad' | 'busy' | 'quiet' | 'title';

/** Text with its meaning; text alone has none. */
export type Toned = string | { readonly text: string; readonly tone: Tone | undefined };

const codes: Readonly<Record<Tone, string>> = { good: '32', bad: '31', busy: '33', quiet: '2', title: '1' };

/** @returns the text in the colour of its meaning; as it is where there are to be no colours */
export function paint(toned: Toned, { colour }: Pick<View, 'colour'>): string {
  if (typeof toned === 'string') return toned;
  const { text, tone } = toned;
  if (!colour || tone === undefined || text === '') return text;
  return `\u001b[${codes[tone]}m${text}\u001b[0m`;
}

/** @returns the text alone */
export function textOf(toned: Toned): string {
  return typeof toned === 'string' ? toned : toned.text;
}

/** Another text of the same meaning. */
export function retext(toned: Toned, text: string): Toned {
  return typeof toned === 'string' ? text : { text, tone: toned.tone };
}
