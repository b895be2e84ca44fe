// What the site's helper says of each node of a trial, which may change at any time.

import type { Fault } from '../world/faults.js';
import type { Decide, HelperQuestion } from '../world/site.js';
import type { Mood } from './action.js';

const quiet: Mood = 'CONFIGURES';

export class Moods {
  readonly #moods = new Map<string, Mood>();
  #asked = 0;
  /** What the site says of a node that it configures. */
  configures: Decide = () => ({});

  set(identity: string, mood: Mood): void {
    this.#moods.set(identity, mood);
  }

  /** From now on every node is configured. */
  clear(): void {
    this.#moods.clear();
  }

  /** What the helper prints. */
  readonly decide = async (question: HelperQuestion): Promise<object> => {
    this.#asked += 1;
    const { configuration, ...credentials } = (await this.configures(question)) as {
      readonly configuration: Readonly<Record<string, string>>;
    };
    const mood = this.#of(question.identity);
    switch (mood) {
      case 'DEFERS':
        return { defer: true, msg: 'not now' };
      case 'DEFERS_BRIEFLY':
        return { defer: true, msg: 'not now', retry_after: '20s' };
      case 'DEFERS_LONG':
        return { defer: true, msg: 'not today', retry_after: '5m' };
      case 'SHUTS_DOWN':
        return { shutdown: true, msg: 'it is retired' };
      case 'LOOPS':
        return {
          ...credentials,
          configuration: { ...configuration, 'plugin.choria.server.provision': 'true' },
        };
      case 'CONFIGURES_ANEW':
        return { ...credentials, configuration: { ...configuration, asked: String(this.#asked) } };
      case 'UPGRADES':
        return { ...credentials, configuration, upgrade: '2.0.0' };
      case 'DOWNGRADES':
        return { ...credentials, configuration, upgrade: '0.9.0' };
      case 'CONFIGURES':
      case 'FAILS':
      case 'PRINTS_NOTHING':
      case 'HANGS':
        return { ...credentials, configuration };
    }
  };

  /** How the program fails when it is asked of a node. */
  faultsOf(identity: string): readonly Fault[] {
    switch (this.#of(identity)) {
      case 'FAILS':
        return [{ kind: 'LOSE_REQUEST' }];
      case 'PRINTS_NOTHING':
        return [{ kind: 'LOSE_REPLY' }];
      case 'HANGS':
        return [{ kind: 'HANG' }];
      default:
        return [];
    }
  }

  #of(identity: string): Mood {
    return this.#moods.get(identity) ?? quiet;
  }
}
