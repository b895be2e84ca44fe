// Puts together what runs are made of. When one is started, and what follows, is the fleet's matter.

import { randomBytes } from 'node:crypto';
import type { ProvisionerConfig } from './config.js';
import type { Freshness } from './fleet/freshness.js';
import type { StartRun } from './run/run.js';
import { createRunner, type RunnerDependencies } from './run/runner.js';
import type { Trust } from './trust.js';

type Shared =
  | 'helper'
  | 'breaker'
  | 'dial'
  | 'fences'
  | 'confirmations'
  | 'events'
  | 'clock'
  | 'random'
  | 'log';

export interface RunParts extends Pick<RunnerDependencies, Shared> {
  readonly freshness: Freshness;
}

export function createRuns(config: ProvisionerConfig, trust: Trust, parts: RunParts): StartRun {
  const { freshness, ...others } = parts;
  return createRunner({
    ...others,
    settings: {
      identifyTimeoutMs: config.identify_timeout,
      rpcTimeoutMs: config.rpc_timeout,
      runTimeoutMs: config.run_timeout,
      restartSplayMs: config.restart_splay,
      upgrades: {
        repository: config.upgrades_repository,
        optional: config.upgrades_optional,
        timeoutMs: config.upgrade_timeout,
      },
      features: config.features,
    },
    enrolment: trust.enrolment,
    tokens: trust.tokens,
    newNonce: () => randomBytes(32),
    intervalMs: () => freshness.intervalMs,
  });
}
