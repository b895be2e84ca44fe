// A helper that is run to see what it does, not for a node: how it ended, and what it wrote, whether that can be used or
// not. What would follow is told elsewhere.

import type { Identity } from '../../../shared/identity.js';
import type { HelperFailureReason } from '../run/outcome.js';
import type { HelperReply } from './helper.js';

/** What came of one trial. */
export interface HelperTrial {
  readonly verdict: /** `text` is what it wrote. */
    | { readonly kind: 'REPLY'; readonly reply: HelperReply; readonly text: string }
    | { readonly kind: 'FAILED'; readonly reason: HelperFailureReason; readonly message: string };
  /** undefined where it was killed or did not start. */
  readonly exitCode: number | undefined;
  /** The last 2 KiB. */
  readonly stderr: string;
  /** From its start, without the wait for a slot. */
  readonly durationMs: number;
}

/** Tries the site's helper out. */
export interface HelperTrials {
  /**
   * Runs the helper on an input, which it is given as it is. Trials wait for a slot as nodes do, and one goes on at a
   * time: however many there are, they take no more than one slot from the nodes.
   *
   * @param asked the node that the input is about, where it says so
   * @throws the signal's reason where it was aborted
   */
  tryOut(input: Buffer, signal: AbortSignal, asked?: Identity): Promise<HelperTrial>;
}
