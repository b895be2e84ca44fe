// Watches what a machine writes of itself: that no run changes it once a run with a higher fence holds it (design,
// section 3). Each state that is committed is looked at, in order.

import type { Agent } from '../../../services/mock-node/agent/agent.js';
import { manifestPath } from '../../../services/mock-node/state/layout.js';
import { decodeManifest } from '../../../services/mock-node/state/manifest.js';
import type { NodeState, RecordedStage, RunRecord } from '../../../services/mock-node/state/node-state.js';
import type { WorldNode } from '../world/node.js';

/** Those that a call brings about when it is obeyed; the others follow by themselves. */
const obeyed: ReadonlySet<RecordedStage> = new Set([
  'KEYED',
  'CONFIGURED',
  'RESTARTING',
  'UPGRADING',
  'STOPPING',
]);

export class FenceWatch {
  readonly problems: string[] = [];
  readonly #node: WorldNode;
  /** What a life of the agent wrote last; what an earlier one did may be lost in part. */
  #last: { readonly agent: Agent; readonly manifest: Buffer; readonly state: NodeState } | undefined;

  constructor(node: WorldNode) {
    this.#node = node;
    node.files.beforeWrite = () => this.look();
  }

  /** Looks at what is written now. */
  async look(): Promise<void> {
    const agent = this.#node.boot?.agent;
    if (agent === undefined) return;
    const manifest = await this.#node.files.read(manifestPath(this.#node.directory)).catch(() => undefined);
    // A file that was not written since is the very same.
    if (manifest === undefined || manifest === this.#last?.manifest) return;
    const state = decodeManifest(manifest.toString());
    if (this.#last?.agent === agent) this.#compare(this.#last.state, state);
    this.#last = { agent, manifest, state };
  }

  #compare(before: NodeState, after: NodeState): void {
    for (const record of after.runs) {
      if (!obeyed.has(record.stage) || isSame(before.runs, record)) continue;
      const problem = findProblem(before, after, record);
      if (problem !== undefined) this.problems.push(`${this.#node.identity} at ${record.runId}: ${problem}`);
    }
  }
}

function isSame(
  records: readonly RunRecord[],
  { runId, stage, configurationDigest, updatedAt }: RunRecord,
): boolean {
  return records.some(
    (it) =>
      it.runId === runId &&
      it.stage === stage &&
      it.configurationDigest === configurationDigest &&
      it.updatedAt === updatedAt,
  );
}

/** A key is put in place after the last look at who holds the node: another run may have taken it just then. */
function findProblem(before: NodeState, after: NodeState, { runId, stage }: RunRecord): string | undefined {
  if (after.hold === undefined) return `${stage}, and nobody holds the node`;
  if (after.hold.runId !== runId && (stage !== 'KEYED' || before.hold?.runId === after.hold.runId)) {
    return `${stage}, and ${after.hold.runId} holds the node`;
  }
  if (before.hold === undefined || before.hold.site !== after.hold.site) return undefined;
  if (before.hold.runId === after.hold.runId) return undefined;
  return after.hold.fence > before.hold.fence
    ? undefined
    : `${stage} with fence ${after.hold.fence}, after ${before.hold.fence} of ${before.hold.runId}`;
}
