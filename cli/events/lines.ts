// Events as lines of either kind: for people, or JSON for programs, where a line of a gap has the one field "gap" and a
// line of an event its fields and the id of its log.

import { Event, Gap } from '../../shared/gen/slipway/provisioner/v1/events.js';
import { printableJson } from '../../shared/printable.js';
import type { View } from '../text/view.js';
import { eventLine, gapLine } from './line.js';

export interface Lines {
  event(logId: string, event: Event, view: View): string;
  gap(gap: Gap, view: View): string;
}

export async function linesFor(json: boolean): Promise<Lines> {
  if (!json) return { event: (_, event, view) => eventLine(event, view), gap: gapLine };
  const { toDocument } = await import('../json/document.js');
  return {
    event: (logId, event) => {
      const document = toDocument('slipway.provisioner.v1.Event', Event, event);
      return printableJson(JSON.stringify({ logId, ...(document as object) }));
    },
    gap: (gap) => printableJson(JSON.stringify({ gap: toDocument('slipway.provisioner.v1.Gap', Gap, gap) })),
  };
}
