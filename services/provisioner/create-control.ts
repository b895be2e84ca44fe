// Puts together what operators can have done, of the parts that runs are made of.

import type { Clock } from '../../shared/clock.js';
import { systemLookup } from '../../shared/net/lookup.js';
import type { Random } from '../../shared/random.js';
import type { ProvisionerConfig } from './config.js';
import { type ControlOptions, OperatorControl } from './control/control.js';
import type { LastInputs } from './control/dry-run/last-inputs.js';
import { Room } from './control/dry-run/room.js';
import type { Fleet } from './fleet/fleet.js';
import type { HelperTrials } from './helper/trial.js';
import { createDialer, createFirstContact, type DialerOptions } from './run/dialer.js';
import type { Fences } from './run/fences.js';
import type { Trust } from './trust.js';

export interface ControlParts extends Pick<ControlOptions, 'account'> {
  readonly fleet: Fleet;
  readonly trials: HelperTrials;
  /** What the helper was last asked about each node. */
  readonly inputs: LastInputs;
  readonly dialing: DialerOptions;
  /** Those of the runs. */
  readonly fences: Fences;
  readonly clock: Clock;
  readonly random: Random;
}

export function createControl(config: ProvisionerConfig, trust: Trust, parts: ControlParts): OperatorControl {
  const { fleet, trials, inputs, dialing, fences, account, clock, random } = parts;
  const { wishes, roster } = fleet;
  const { signing, serverJwtValidityMs } = trust.enrolment;
  return new OperatorControl({
    wishes,
    roster,
    account,
    dial: createDialer(dialing),
    firstContact: createFirstContact(dialing),
    networks: dialing.networks,
    lookup: systemLookup,
    identifyTimeoutMs: config.identify_timeout,
    rpcTimeoutMs: config.rpc_timeout,
    tokens: trust.tokens,
    fences,
    clock,
    random,
    dryRuns: {
      trials,
      room: new Room(),
      inputs,
      upgradedFrom: (identity) => roster.upgradedFrom(identity),
      features: config.features,
      upgradesRepository: config.upgrades_repository,
      upgradesOptional: config.upgrades_optional,
      serverJwtValidityMs,
      signing,
      clock,
    },
  });
}
