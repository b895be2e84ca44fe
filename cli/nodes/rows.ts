// Nodes as a table.

import { type Node, NodeSource } from '../../shared/gen/slipway/discovery/v1/discovery.js';
import { printable } from '../../shared/printable.js';
import { distance } from '../text/moments.js';
import { nameOf } from '../text/name.js';
import { type Column, table } from '../text/table.js';
import type { View } from '../text/view.js';

const columns: readonly Column[] = [
  { title: 'IDENTITY', whole: true },
  { title: 'ADDRESS', whole: true },
  { title: 'VERSION' },
  { title: 'UP', right: true },
  { title: 'HEARD', right: true },
  { title: 'SOURCE' },
  { title: 'COMPONENT' },
  { title: 'LABELS' },
];

/**
 * @param rows as {@link nodeRow} makes them
 * @returns lines, the titles first
 */
export function nodeLines(rows: readonly (readonly string[])[], view: View): string[] {
  return table(columns, rows, view);
}

/** What the table has of a node: less than the node itself takes. */
export function nodeRow(node: Node, view: View): string[] {
  return [
    printable(node.identity),
    printable(node.address),
    printable(node.version),
    distance(node.firstSeen, view),
    distance(node.lastSeen, view),
    nameOf(NodeSource, node.source).toLowerCase(),
    printable(node.component),
    printable(
      Object.entries(node.labels)
        .map((pair) => pair.join('='))
        .join(' '),
    ),
  ];
}
