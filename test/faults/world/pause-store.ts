// What data_dir keeps of an operator's pause, in memory: it outlives the provisioners of its world.

import type { PauseNote, PauseStore } from '../../../services/provisioner/fleet/pause.js';

export class PauseInMemory implements PauseStore {
  #note: PauseNote | undefined;

  async load(): Promise<PauseNote | undefined> {
    return this.#note;
  }

  async save(note: PauseNote): Promise<void> {
    this.#note = note;
  }

  async clear(): Promise<void> {
    this.#note = undefined;
  }
}
