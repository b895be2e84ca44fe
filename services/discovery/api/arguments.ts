// What consumers send, checked: every field that is wrong is named. A message has room for a million choices, and a
// watch holds its own as long as it lasts, so that there are bounds.

import { status } from '@grpc/grpc-js';
import type {
  NodeFilter as WireFilter,
  Position as WirePosition,
} from '../../../shared/gen/slipway/discovery/v1/discovery.js';
import { RpcError } from '../../../shared/grpc/errors.js';
import type { Position } from '../watch/event-log.js';
import type { NodeFilter } from '../watch/filter.js';
import { domainFilter, domainPosition } from './convert.js';

/** The most components, and labels, of a filter. */
const mostChoices = 100;

/** Longer than any component, label or epoch: characters. */
const longestText = 255;

/** @throws RpcError INVALID_ARGUMENT */
export function filterArgument(filter: WireFilter | undefined): NodeFilter {
  checkChoices('filter.components', filter?.components ?? []);
  const labels = filter?.labels ?? {};
  checkChoices('filter.labels', Object.keys(labels));
  checkChoices('filter.labels', Object.values(labels));
  return domainFilter(filter);
}

/** @throws RpcError INVALID_ARGUMENT */
export function positionArgument(position: WirePosition | undefined): Position | undefined {
  if ((position?.epoch.length ?? 0) > longestText) throw invalid('resume.epoch', 'is no epoch');
  return domainPosition(position);
}

/** The refusal of an argument that is wrong. */
export function invalid(field: string, description: string): RpcError {
  return new RpcError(status.INVALID_ARGUMENT, `${field}: ${description}`, {
    reason: 'ARGUMENT_INVALID',
    violations: [{ field, description }],
  });
}

function checkChoices(field: string, texts: readonly string[]): void {
  if (texts.length > mostChoices) throw invalid(field, `expected at most ${mostChoices} entries`);
  if (texts.some((text) => text.length > longestText)) {
    throw invalid(field, `expected at most ${longestText} characters in each`);
  }
}
