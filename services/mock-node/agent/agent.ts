// One boot of one node: admits calls, does what they ask, and remembers it in the node's store. When and how
// the machine goes down is swarm/'s matter; what is checked, and in which order, is in checks.ts.

import { join } from 'node:path';
import type { RunId } from '../../../shared/identity.js';
import { signChallenge } from '../../../shared/trust/challenge.js';
import { newX25519Pair, type X25519Pair } from '../../../shared/trust/key-transfer.js';
import {
  certificateName,
  csrFile,
  csrKeyFile,
  seedFile,
  serverTokenFile,
  sslFolder,
} from '../state/layout.js';
import { findRun, type NodeState, type RunRecord, reached, withdrawn } from '../state/node-state.js';
import { Admission } from './admission.js';
import type { AgentOptions } from './agent-options.js';
import type { Csr, Presence, ProvenKey, TokenAndKey } from './answers.js';
import type { Call, StopRpc } from './call.js';
import type { Configuration } from './configuration.js';
import { Configuring } from './configuring.js';
import { type Inventory, inventoryOf } from './inventory.js';
import { type CsrSubject, newEd25519Key } from './own-keys.js';
import { DownError, NotServedError } from './refusal.js';
import type { Release } from './release.js';
import { type Gate, Turns } from './turns.js';
import { Upgrades } from './upgrades.js';

/** How long after Shutdown, Reprovision or an upgrade the agent goes down, so that the reply is out: milliseconds. */
const farewellMs = 100;

export class Agent {
  readonly #options: AgentOptions;
  readonly #admission: Admission;
  readonly #turns: Turns;
  readonly #configuring: Configuring;
  readonly #upgrades: Upgrades;
  /** Of the release that this boot runs. */
  readonly #version: string;
  /** Of the last GetJwt. */
  #exchange: X25519Pair | undefined;

  constructor(options: AgentOptions) {
    this.#options = options;
    this.#admission = new Admission(options, options.store.state);
    const admission = this.#admission;
    this.#turns = new Turns({
      ...options,
      admission,
      readiness: () => ({
        directory: options.directory,
        enablesProvisioning: this.#configuring.enablesProvisioning,
      }),
    });
    this.#configuring = new Configuring({ ...options, admission, turns: this.#turns });
    this.#upgrades = new Upgrades({
      ...options,
      admission,
      save: this.#turns.save.bind(this.#turns),
      farewellMs,
    });
    this.#version = options.store.state.release ?? options.version;
  }

  /**
   * Open to all; checks nothing.
   *
   * @throws DownError
   */
  identify(): Presence {
    if (this.#admission.closed) throw new DownError();
    const { identity, bootId, challenge, provisioning, token, upgradable } = this.#options;
    return {
      identity,
      bootId,
      challenge,
      version: this.#version,
      provisioning: provisioning && this.#admission.pending === undefined,
      hasToken: token !== undefined,
      upgradable,
    };
  }

  /**
   * Makes a fresh key pair for the exchange of a private key; the one before is of no more use.
   *
   * @throws RefusedError, DownError, NotServedError
   */
  async getJwt(call: Call): Promise<TokenAndKey> {
    this.#admission.admit('GetJwt', call.caller);
    const { token } = this.#options;
    if (token === undefined) {
      await this.#turns.keepHold();
      throw new NotServedError('the node has no provisioning token');
    }
    return await this.#turns.take({ rpc: 'GetJwt' }, call, async (_runId, gate) => {
      await this.#turns.keepHold();
      gate();
      this.#exchange = newX25519Pair();
      return { token, ecdhPublic: this.#exchange.publicKey };
    });
  }

  /**
   * Makes a new ed25519 key. A server token goes first, and a configuration that waits for a start is withdrawn:
   * they were made for the key before.
   *
   * @param nonce 32 bytes
   * @throws RefusedError, DownError; the signal's reason where the caller gave up before anything was changed;
   *   errors of the file system, which leave the key as it was
   */
  generateEd25519Key(call: Call, nonce: Uint8Array): Promise<ProvenKey> {
    return this.#turns.take({ rpc: 'GenerateEd25519Key', nonce }, call, async (runId, gate) => {
      const { identity, directory, store } = this.#options;
      const { privateKey, publicKey, seedHex } = newEd25519Key();
      const seed = { path: seedFile, content: seedHex, mode: 0o600 };
      await store.replaceKeys([seed], [serverTokenFile], this.#keyed(runId), gate);
      return { publicKey, signature: signChallenge({ identity, runId, nonce }, privateKey), directory };
    });
  }

  /** Makes a new RSA key and a certificate signing request for it. Otherwise as {@link generateEd25519Key}. */
  generateCsr(call: Call, subject: CsrSubject): Promise<Csr> {
    return this.#turns.take({ rpc: 'GenerateCsr', subject }, call, async (runId, gate) => {
      const { directory, store, newCsr } = this.#options;
      const { privateKeyPem, ...csr } = await newCsr(subject, call.signal);
      const keys = [
        { path: csrKeyFile, content: privateKeyPem, mode: 0o600 },
        { path: csrFile, content: csr.csrPem, mode: 0o644 },
      ];
      const madeForOldOnes = [`${sslFolder}/${certificateName}`, csrFile, csrKeyFile];
      await store.replaceKeys(keys, madeForOldOnes, this.#keyed(runId), gate);
      return { ...csr, sslDirectory: join(directory, sslFolder) };
    });
  }

  /** @throws RefusedError, DownError */
  async getInventory(call: Call): Promise<Inventory> {
    this.#admission.admit('GetInventory', call.caller);
    await this.#turns.keepHold();
    return inventoryOf(this.#options.identity, this.#version, this.#options.upgradable);
  }

  /**
   * @param runId the run asked about, as the caller wrote it
   * @returns its record, or undefined where the node knows nothing of it
   * @throws RefusedError, DownError
   */
  async getRunStatus(call: Call, runId: string): Promise<RunRecord | undefined> {
    this.#admission.admit('GetRunStatus', call.caller);
    await this.#turns.keepHold();
    return findRun(this.#options.store.state, runId.toLowerCase());
  }

  /**
   * Replaces the release, and restarts with it into provisioning mode. A configuration that waits for a start is
   * withdrawn first. A repeat in the same run joins the upgrade that is under way.
   *
   * @param withoutEffect all happens, but the release stays as it was
   * @throws RefusedError, DownError, NotServedError; the signal's reason where the caller gave up: before the upgrade
   *   was accepted it has no effect, from then on it goes on; errors of the file system, which leave the release as
   *   it was
   */
  async updateRelease(call: Call, release: Release, { withoutEffect = false } = {}): Promise<void> {
    if (!this.#options.upgradable) {
      this.#admission.admit('UpdateRelease', call.caller);
      await this.#turns.keepHold();
      throw new NotServedError('the release of the node cannot be replaced');
    }
    const { done } = await this.#turns.take({ rpc: 'UpdateRelease', release }, call, (runId, gate) =>
      this.#upgrades.accept(runId, release, gate, withoutEffect),
    );
    await orGivenUp(done, call.signal);
  }

  /**
   * Commits a configuration. The same content as the one that waits already changes only whose it is.
   *
   * @throws RefusedError, DownError; the signal's reason where the caller gave up before the commit
   */
  configure(call: Call, configuration: Configuration): Promise<void> {
    return this.#turns.take({ rpc: 'Configure', configuration }, call, (runId, gate) =>
      this.#configuring.commit(runId, configuration, this.#exchange, gate),
    );
  }

  /**
   * Accepts a restart at a random moment within the splay.
   *
   * @returns milliseconds until then
   * @throws RefusedError, DownError; the signal's reason where the caller gave up before it was accepted
   */
  restart(call: Call, splayMs: number): Promise<number> {
    return this.#turns.take({ rpc: 'Restart', splayMs }, call, (runId, gate) => {
      const record = (state: NodeState, now: number) => reached(state, runId, 'RESTARTING', now);
      return this.#acceptStop('Restart', runId, this.#options.random() * splayMs, record, gate);
    });
  }

  /** Accepts a stop for good. Otherwise as {@link restart}. */
  shutdown(call: Call): Promise<number> {
    return this.#turns.take({ rpc: 'Shutdown' }, call, (runId, gate) => {
      const record = (state: NodeState, now: number) => reached(state, runId, 'STOPPING', now);
      return this.#acceptStop('Shutdown', runId, farewellMs, record, gate);
    });
  }

  /** Accepts the return to provisioning mode. Otherwise as {@link restart}. */
  reprovision(call: Call): Promise<number> {
    return this.#turns.take({ rpc: 'Reprovision' }, call, (runId, gate) => {
      const record = (state: NodeState, now: number) => withdrawn(reached(state, runId, 'RESTARTING', now));
      return this.#acceptStop('Reprovision', runId, farewellMs, record, gate);
    });
  }

  /** Takes no more calls, lets the one that is being committed finish, and closes the store. */
  async stop(): Promise<void> {
    this.#admission.closed = true;
    await this.#turns.end(async () => {
      await this.#upgrades.stop();
      await this.#options.store.close();
    });
  }

  async #acceptStop(
    rpc: StopRpc,
    runId: RunId,
    delayMs: number,
    record: (state: NodeState, now: number) => NodeState,
    gate: Gate,
  ): Promise<number> {
    const { clock, onStopAccepted } = this.#options;
    if (this.#admission.pending === undefined) {
      await this.#turns.save((state) => record(state, clock.now()), gate);
      this.#admission.pending = { rpc, runId, at: clock.monotonic() + delayMs };
      onStopAccepted(this.#admission.pending);
    }
    return Math.max(0, this.#admission.pending.at - clock.monotonic());
  }

  #keyed(runId: RunId): (state: NodeState) => NodeState {
    return (state) =>
      this.#admission.holding.writtenInto(reached(state, runId, 'KEYED', this.#options.clock.now()));
  }
}

/** The work goes on where the caller gives up. */
function orGivenUp<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
