// What Configure does on a node in its turn: checks what came against the node's keys, and commits it. Its arguments
// were checked already (checks.ts).

import type { RunId } from '../../../shared/identity.js';
import type { X25519Pair } from '../../../shared/trust/key-transfer.js';
import { adopted, committed, type NodeState, waitsAlready } from '../state/node-state.js';
import type { OwnKeys, Staged } from '../state/node-store.js';
import { enablesProvisioning } from '../state/settings.js';
import type { Admission } from './admission.js';
import type { AgentOptions } from './agent-options.js';
import { readSettings } from './arguments.js';
import { type Checked, type Configuration, filesOf } from './configuration.js';
import { fitToKeys } from './key-fit.js';
import { RefusedError } from './refusal.js';
import { findSslFolder } from './ssl-folder.js';
import type { Gate, Turns } from './turns.js';

export interface ConfiguringOptions
  extends Pick<
    AgentOptions,
    'store' | 'clock' | 'directory' | 'provisioning' | 'provisioningByDefault' | 'onCommitted'
  > {
  readonly admission: Admission;
  readonly turns: Turns;
}

const noKeys: OwnKeys = { seed: undefined, csrKeyPem: undefined };

export class Configuring {
  readonly #options: ConfiguringOptions;
  /** By digest, of the one that waits and the one that was to replace it: whether it enables provisioning. */
  #enabling: ReadonlyMap<string, boolean> = new Map();

  constructor(options: ConfiguringOptions) {
    this.#options = options;
  }

  /** Whether the node, started with what is written, would be in provisioning mode. */
  get enablesProvisioning(): boolean {
    const { store, provisioning } = this.#options;
    const { configuration } = store.state;
    if (configuration?.status !== 'COMMITTED') return provisioning;
    return this.#enabling.get(configuration.digest) ?? true;
  }

  /**
   * The same content as the one that waits already changes only whose it is.
   *
   * @param exchange the pair of the last GetJwt; undefined before the first
   * @throws RefusedError; what the gate throws; errors of the file system
   */
  async commit(
    runId: RunId,
    configuration: Configuration,
    exchange: X25519Pair | undefined,
    gate: Gate,
  ): Promise<void> {
    const { store, admission, turns, clock, provisioningByDefault, onCommitted } = this.#options;
    const { digest } = configuration;
    const checked = await this.#checkAgainstKeys(configuration, exchange);
    // Before it is committed: a disk that fails after the commit leaves it to wait all the same.
    this.#note(digest, enablesProvisioning(checked.settings, provisioningByDefault));
    if (waitsAlready(store.state, digest)) {
      await turns.save((state) => adopted(state, runId, clock.now()), gate);
      return;
    }
    const commit = (state: NodeState, staged: Staged) =>
      admission.holding.writtenInto(committed(state, runId, { ...staged, digest }, clock.now()));
    await store.saveWithFiles(filesOf(configuration, checked), commit, gate);
    onCommitted();
  }

  #note(digest: string, enabling: boolean): void {
    const waiting = this.#options.store.state.configuration?.digest;
    const kept = [...this.#enabling].filter(([each]) => each === waiting);
    this.#enabling = new Map([...kept, [digest, enabling]]);
  }

  /** @throws RefusedError where what came was not made for the node's keys */
  async #checkAgainstKeys(configuration: Configuration, exchange: X25519Pair | undefined): Promise<Checked> {
    const { store, directory } = this.#options;
    const read = readSettings(configuration.configurationJson);
    const ssl = findSslFolder(configuration.sslDir, directory);
    if (!read.ok || !ssl.ok) throw new Error('the configuration was not checked');
    const { certificatePem, serverJwt } = configuration;
    const own = certificatePem === '' && serverJwt === '' ? noKeys : await store.readOwnKeys();
    const fit = fitToKeys(configuration, ssl.folder, { ...own, exchange });
    if (!fit.ok) throw new RefusedError(fit.refusal);
    return { settings: read.settings, sslFolder: ssl.folder, privateKeyPem: fit.privateKeyPem };
  }
}
