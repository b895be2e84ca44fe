// Prints JSON for programs, which may all the same end on a terminal. What makes documents of replies is loaded only when
// one is wanted.

import { printableJson } from '../../shared/printable.js';
import type { Terminal } from '../terminal.js';
import type { MessageKind } from './document.js';

/** Of what stands within something. */
export const indentation = '  ';

/** @param name of the message: `slipway.provisioner.v1.GetStatusResponse` */
export async function printJson<T>(
  name: string,
  kind: MessageKind<T>,
  message: T,
  terminal: Pick<Terminal, 'out'>,
): Promise<void> {
  const { toDocument } = await import('./document.js');
  terminal.out(jsonDocument(toDocument(name, kind, message)));
}

/** A value as a document of its own, with its line break. */
export function jsonDocument(value: unknown): string {
  return `${jsonText(value)}\n`;
}

/** A value as it stands in a document, in as many lines as it takes. */
export function jsonText(value: unknown): string {
  return printableJson(JSON.stringify(value, undefined, indentation));
}
