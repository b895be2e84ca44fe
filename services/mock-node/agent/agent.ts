// One boot of one node: admits calls, does what they ask, and remembers it in the node's store. When and how
// the machine goes down is swarm/'s matter; what is checked, and in which order, is in checks.ts.

import type { Clock } from '../../../shared/clock.js';
import type { BootId, Identity, RunId } from '../../../shared/identity.js';
import { parseRunId } from '../../../shared/identity.js';
import type { Logger } from '../../../shared/logger.js';
import type { Random } from '../../../shared/random.js';
import type { Secret } from '../../../shared/secret.js';
import { verifyProof } from '../../../shared/trust/proof.js';
import { Slots } from '../slots.js';
import {
  adopted,
  committed,
  findRun,
  type NodeState,
  type RunRecord,
  reached,
  waitsAlready,
  withdrawn,
} from '../state/node-state.js';
import type { NodeStore, Staged } from '../state/node-store.js';
import { enablesProvisioning, type Settings } from '../state/settings.js';
import { readSettings } from './arguments.js';
import type { Arguments, Call, Caller, PendingStop, Rpc, StopRpc } from './call.js';
import { checkAdmission, checkRequest } from './checks.js';
import { type Configuration, filesOf } from './configuration.js';
import { Holding } from './holding.js';
import { type Inventory, inventoryOf } from './inventory.js';
import { DownError, RefusedError } from './refusal.js';

export interface AgentOptions {
  readonly identity: Identity;
  readonly bootId: BootId;
  /** 32 random bytes of this boot. */
  readonly challenge: Uint8Array;
  readonly version: string;
  /** Without one, any proof is accepted. */
  readonly secret: Secret | undefined;
  /** Whether this boot came up in provisioning mode. */
  readonly provisioning: boolean;
  /** Whether settings that do not say so enable provisioning. */
  readonly provisioningByDefault: boolean;
  /** Open already. */
  readonly store: NodeStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** A stop was accepted and is on disk: the machine is to go down at its time. */
  readonly onStopAccepted: (stop: PendingStop) => void;
  /** A configuration was committed; repeats of one that waits already are not told. */
  readonly onCommitted: () => void;
}

/** What Identify tells. */
export interface Presence {
  readonly identity: Identity;
  readonly bootId: BootId;
  readonly challenge: Uint8Array;
  readonly provisioning: boolean;
  readonly version: string;
}

/** How long after Shutdown or Reprovision the agent goes down, so that the reply is out: milliseconds. */
const farewellMs = 100;

/** Called at the last moment before a commit; throws where it must not happen. */
type Gate = () => void;

export class Agent {
  readonly #options: AgentOptions;
  /** One mutating call at a time. */
  readonly #turn = new Slots(1);
  readonly #holding: Holding;
  #enablesProvisioning: boolean;
  #pending: PendingStop | undefined;
  #down = false;

  constructor(options: AgentOptions) {
    this.#options = options;
    this.#enablesProvisioning = options.provisioning;
    const { hold } = options.store.state;
    this.#holding = new Holding(options.clock, options.provisioning ? hold : undefined);
  }

  /** Open to all; checks nothing. */
  identify(): Presence {
    const { identity, bootId, challenge, version, provisioning } = this.#options;
    return {
      identity,
      bootId,
      challenge,
      version,
      provisioning: provisioning && this.#pending === undefined,
    };
  }

  /** @throws RefusedError, DownError */
  async getInventory(call: Call): Promise<Inventory> {
    this.#admit('GetInventory', call.caller);
    await this.#keepHold();
    return inventoryOf(this.#options.identity, this.#options.version);
  }

  /**
   * @param runId the run asked about, as the caller wrote it
   * @returns its record, or undefined where the node knows nothing of it
   * @throws RefusedError, DownError
   */
  async getRunStatus(call: Call, runId: string): Promise<RunRecord | undefined> {
    this.#admit('GetRunStatus', call.caller);
    await this.#keepHold();
    return findRun(this.#options.store.state, runId.toLowerCase());
  }

  /**
   * Commits a configuration. The same content as the one that waits already changes only whose it is.
   *
   * @throws RefusedError, DownError; the signal's reason where the caller gave up before the commit
   */
  configure(call: Call, configuration: Configuration): Promise<void> {
    return this.#mutate({ rpc: 'Configure', configuration }, call, async (runId, gate) => {
      const { store, clock, provisioningByDefault, onCommitted } = this.#options;
      const { digest } = configuration;
      const settings = settingsOf(configuration);
      const isRepeat = waitsAlready(store.state, digest);
      if (isRepeat) {
        await this.#save((state) => adopted(state, runId, clock.now()), gate);
      } else {
        const commit = (state: NodeState, staged: Staged) =>
          this.#holding.writtenInto(committed(state, runId, { ...staged, digest }, clock.now()));
        await store.saveWithFiles(filesOf(configuration, settings), commit, gate);
      }
      this.#enablesProvisioning = enablesProvisioning(settings, provisioningByDefault);
      if (!isRepeat) onCommitted();
    });
  }

  /**
   * Accepts a restart at a random moment within the splay.
   *
   * @returns milliseconds until then
   * @throws RefusedError, DownError; the signal's reason where the caller gave up before it was accepted
   */
  restart(call: Call, splayMs: number): Promise<number> {
    return this.#mutate({ rpc: 'Restart', splayMs }, call, (runId, gate) => {
      const record = (state: NodeState, now: number) => reached(state, runId, 'RESTARTING', now);
      return this.#acceptStop('Restart', runId, this.#options.random() * splayMs, record, gate);
    });
  }

  /** Accepts a stop for good. Otherwise as {@link restart}. */
  shutdown(call: Call): Promise<number> {
    return this.#mutate({ rpc: 'Shutdown' }, call, (runId, gate) => {
      const record = (state: NodeState, now: number) => reached(state, runId, 'STOPPING', now);
      return this.#acceptStop('Shutdown', runId, farewellMs, record, gate);
    });
  }

  /** Accepts the return to provisioning mode. Otherwise as {@link restart}. */
  reprovision(call: Call): Promise<number> {
    return this.#mutate({ rpc: 'Reprovision' }, call, (runId, gate) => {
      const record = (state: NodeState, now: number) => withdrawn(reached(state, runId, 'RESTARTING', now));
      return this.#acceptStop('Reprovision', runId, farewellMs, record, gate);
    });
  }

  /** Takes no more calls, lets the one that is being committed finish, and closes the store. */
  async stop(): Promise<void> {
    this.#down = true;
    await this.#turn.use(() => this.#options.store.close());
  }

  /** Throws where the caller is refused; from here on it holds the node. */
  #admit(rpc: Rpc, caller: Caller): RunId {
    if (this.#down) throw new DownError();
    const { identity, bootId, provisioning, secret, clock } = this.#options;
    const refusal = checkAdmission(rpc, caller, {
      identity,
      bootId,
      provisioning,
      hasSecret: secret !== undefined,
      acceptsProof: (of) => this.#acceptsProof(of),
      pending: this.#pending,
      hold: this.#holding.current,
      now: clock.monotonic(),
    });
    if (refusal !== undefined) throw new RefusedError(refusal);
    const runId = parseRunId(caller.run);
    // The checks have passed: both are there.
    if (runId === undefined || caller.fence === undefined) throw new Error('admitted without run or fence');
    this.#holding.take({ site: caller.site, fence: caller.fence, runId });
    return runId;
  }

  #acceptsProof(caller: Caller): boolean {
    const { secret, identity, challenge } = this.#options;
    if (secret === undefined) return true;
    return verifyProof(caller.proof, {
      secret: secret.reveal(),
      identity,
      runId: caller.run,
      challenge,
      certificateSha256: '',
    });
  }

  /**
   * A call that changes something: refused at once where it can be, then in its turn, checked again because
   * what was true may have changed while it waited, and once more at the moment of its commit.
   */
  async #mutate<T>(
    request: Arguments,
    call: Call,
    act: (runId: RunId, gate: Gate) => Promise<T>,
  ): Promise<T> {
    this.#admit(request.rpc, call.caller);
    return await this.#turn.use(async () => {
      const runId = this.#admit(request.rpc, call.caller);
      const refusal = checkRequest(request, { enablesProvisioning: this.#enablesProvisioning });
      if (refusal !== undefined) {
        await this.#recordFailure(runId);
        throw new RefusedError(refusal);
      }
      let failed = true;
      try {
        return await act(runId, () => {
          failed = false;
          call.signal.throwIfAborted();
          this.#admit(request.rpc, call.caller);
          failed = true;
        });
      } catch (error) {
        if (failed) await this.#recordFailure(runId);
        throw error;
      }
    }, call.signal);
  }

  async #acceptStop(
    rpc: StopRpc,
    runId: RunId,
    delayMs: number,
    record: (state: NodeState, now: number) => NodeState,
    gate: Gate,
  ): Promise<number> {
    const { clock, onStopAccepted } = this.#options;
    if (this.#pending === undefined) {
      await this.#save((state) => record(state, clock.now()), gate);
      this.#pending = { rpc, runId, at: clock.monotonic() + delayMs };
      onStopAccepted(this.#pending);
    }
    return Math.max(0, this.#pending.at - clock.monotonic());
  }

  /** Writes who holds the node, where the disk does not know it yet. A configured node need not remember. */
  async #keepHold(): Promise<void> {
    if (!this.#options.provisioning) return;
    await this.#options.store.save((state) => this.#holding.keptIn(state));
  }

  #save(change: (state: NodeState) => NodeState, gate?: Gate): Promise<void> {
    return this.#options.store.save((state) => this.#holding.writtenInto(change(state)), gate);
  }

  /** The run's last mutating call failed here. Where not even that can be written, the record stays as it was. */
  async #recordFailure(runId: RunId): Promise<void> {
    const { clock, log } = this.#options;
    try {
      await this.#save((state) => reached(state, runId, 'FAILED', clock.now()));
    } catch (error) {
      log.warn({ err: error, run_id: runId }, 'the failure of a call could not be recorded');
    }
  }
}

function settingsOf(configuration: Configuration): Settings {
  const read = readSettings(configuration.configurationJson);
  if (!read.ok) throw new Error('the configuration was not checked');
  return read.settings;
}
