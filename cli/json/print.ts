// Prints a reply as one JSON document. What makes it is loaded only then.

import type { Terminal } from '../terminal.js';
import type { MessageKind } from './document.js';

/** @param name of the message: `slipway.provisioner.v1.GetStatusResponse` */
export async function printJson<T>(
  name: string,
  kind: MessageKind<T>,
  message: T,
  terminal: Pick<Terminal, 'out'>,
): Promise<void> {
  const { toDocument } = await import('./document.js');
  terminal.out(`${JSON.stringify(toDocument(name, kind, message), undefined, 2)}\n`);
}
