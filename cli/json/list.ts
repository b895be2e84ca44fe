// Prints a reply whose list comes in pages as one JSON document, page by page: a list may be too long to be held.

import type { Terminal } from '../terminal.js';
import type { MessageKind } from './document.js';
import { indentation, jsonText } from './print.js';

export interface PrintedList<T> {
  /** Prints the items of a page. What stands before the list in the document is that of the first page. */
  add(page: T): void;
  /** Ends the document with the items of the last page, and what stands behind the list there. */
  end(last: T): void;
  /** Resolves when there is room for more; undefined where there is now. */
  room(): Promise<void> | undefined;
}

/**
 * @param name of the message: `slipway.provisioner.v1.ListHostsResponse`
 * @param list its field with the list: `hosts`
 */
export async function openList<T>(
  name: string,
  kind: MessageKind<T>,
  list: string,
  { out, room }: Pick<Terminal, 'out' | 'room'>,
): Promise<PrintedList<T>> {
  const { toDocument } = await import('./document.js');
  let isBegun = false;
  let isEmpty = true;
  const add = (page: T): Parts => {
    const parts = partsOf(toDocument(name, kind, page), list);
    const { before, items } = parts;
    const head = isBegun
      ? ''
      : `{\n${before.map((field) => `${field},\n`).join('')}${indentation}"${list}": [`;
    const first = isEmpty && items.length > 0 ? '\n' : '';
    const separator = isEmpty || items.length === 0 ? '' : ',\n';
    out(head + first + separator + items.join(',\n'));
    isBegun = true;
    isEmpty &&= items.length === 0;
    return parts;
  };
  return {
    add: (page) => void add(page),
    end: (last) => {
      const { after } = add(last);
      const fields = after.map((field) => `,\n${field}`).join('');
      out(`${isEmpty ? '' : `\n${indentation}`}]${fields}\n}\n`);
    },
    room,
  };
}

/** Prints all pages; the last has no more to come. */
export async function printPages<T>(pages: AsyncIterable<T>, list: PrintedList<T>): Promise<void> {
  let last: T | undefined;
  for await (const page of pages) {
    if (last !== undefined) list.add(last);
    last = page;
    await list.room();
  }
  if (last !== undefined) list.end(last);
}

/** What stands in a document, as text, with the margin that it has there. */
interface Parts {
  readonly before: readonly string[];
  readonly items: readonly string[];
  readonly after: readonly string[];
}

function partsOf(document: unknown, list: string): Parts {
  const fields = Object.entries(document as object);
  const place = fields.findIndex(([name]) => name === list);
  const items: readonly unknown[] = fields[place]?.[1];
  const text = ([name, value]: [string, unknown]) => indented(`"${name}": ${jsonText(value)}`, 1);
  return {
    before: fields.slice(0, place).map(text),
    items: items.map((item) => indented(jsonText(item), 2)),
    after: fields.slice(place + 1).map(text),
  };
}

function indented(text: string, levels: number): string {
  const margin = indentation.repeat(levels);
  return margin + text.replaceAll('\n', `\n${margin}`);
}
