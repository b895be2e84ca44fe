// Which nodes a consumer wants to hear of.

import { defaultComponent, type Labels, type Node } from '../nodes/node.js';

export interface NodeFilter {
  /** Of which one must match; empty: all do. */
  readonly components: ReadonlySet<string>;
  /** All must be there with these values. */
  readonly labels: readonly (readonly [name: string, value: string])[];
}

/** Lets everything through. */
export const everyNode: NodeFilter = { components: new Set(), labels: [] };

/** @param components an empty one stands for the component of a node that names none */
export function newFilter(components: readonly string[], labels: Labels): NodeFilter {
  return {
    components: new Set(components.map((component) => (component === '' ? defaultComponent : component))),
    labels: Object.entries(labels),
  };
}

/** Whether the filter lets the node through. */
export function matches(filter: NodeFilter, node: Pick<Node, 'component' | 'labels'>): boolean {
  if (filter.components.size > 0 && !filter.components.has(node.component)) return false;
  return filter.labels.every(
    ([name, value]) => Object.hasOwn(node.labels, name) && node.labels[name] === value,
  );
}
