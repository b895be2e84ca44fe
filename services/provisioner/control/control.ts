// What operators can have done (design, section 10, "Control"). Brings what each takes together; who may ask, and how, is
// api/'s matter.

import type { Identity } from '../../../shared/identity.js';
import type { Released } from '../fleet/wishes.js';
import type { HostAccount } from '../standing/accounts.js';
import { ControlError } from './control-error.js';
import { type DryRun, type DryRunInput, type DryRunOptions, dryRun } from './dry-run/dry-run.js';
import type { Place } from './meeting.js';
import { type ProvisionOptions, type ProvisionOrder, provision } from './provision.js';
import { type Reprovisioned, type ReprovisionOptions, reprovision } from './reprovision.js';

export interface ControlOptions extends ProvisionOptions, ReprovisionOptions {
  readonly dryRuns: DryRunOptions;
  /** What is known of a host, or was last; undefined where nothing is. */
  readonly account: (identity: Identity) => HostAccount | undefined;
}

/** What is wanted and not done is told by a ControlError. */
export class OperatorControl {
  readonly #options: ControlOptions;

  constructor(options: ControlOptions) {
    this.#options = options;
  }

  /**
   * Queues a host now; a run that works on it is left alone.
   *
   * @throws ControlError; the signal's reason
   */
  async provision(order: ProvisionOrder, signal: AbortSignal): Promise<HostAccount | undefined> {
    await provision(this.#options, order, signal);
    return this.#options.account(order.identity);
  }

  /**
   * Puts a configured node back into provisioning mode.
   *
   * @param address host and port; empty where the node is known
   * @throws ControlError; the signal's reason
   */
  reprovision(identity: Identity, address: string, signal: AbortSignal): Promise<Reprovisioned> {
    const { account, wishes } = this.#options;
    const host = account(identity);
    if (host?.state === 'RUNNING') {
      throw new ControlError(
        'NOT_NOW',
        'PROVISIONING',
        `a run works on ${identity}: it is in provisioning mode`,
      );
    }
    const place = placeOf(identity, address, host);
    // Before it is asked: it may be sighted before its answer is here.
    wishes.expectBack(identity);
    return reprovision(this.#options, identity, place, signal);
  }

  /** Forgets a host, at the end of its run where one works on it. @throws ControlError where it is not known */
  release(identity: Identity): Released {
    const released = this.#options.wishes.release(identity);
    if (released !== undefined) return released;
    throw new ControlError(
      'UNKNOWN_HOST',
      'HOST_NOT_FOUND',
      `${identity} is not known: there is nothing to release`,
    );
  }

  /**
   * Runs the helper and says what would follow.
   *
   * @throws ControlError, InputError; the signal's reason
   */
  dryRun(input: DryRunInput, signal: AbortSignal): Promise<DryRun> {
    return dryRun(this.#options.dryRuns, input, signal);
  }
}

function placeOf(identity: Identity, address: string, host: HostAccount | undefined): Place {
  if (address !== '') return { kind: 'GIVEN', address };
  if (host !== undefined && host.address !== '') return { kind: 'KNOWN', node: host };
  const message = `it is not known where ${identity} is: give its address`;
  throw new ControlError('UNKNOWN_HOST', 'HOST_NOT_FOUND', message);
}
