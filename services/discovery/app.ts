// The service: discovery behind its two listeners and the monitor port.

import { readFile } from 'node:fs/promises';
import { performance } from 'node:perf_hooks';
import { systemClock } from '../../shared/clock.js';
import type { Logger } from '../../shared/logger.js';
import { Metrics } from '../../shared/metrics/registry.js';
import { systemLookup } from '../../shared/net/lookup.js';
import type { App } from '../../shared/process/run-process.js';
import { Phases } from '../../shared/shutdown.js';
import type { DiscoveryConfig } from './config.js';
import { Discovery, type Surroundings } from './discovery.js';
import { type Addresses, Doors } from './doors.js';
import { openFiles } from './files.js';
import { showCredentialExpiry } from './metrics.js';
import { GrpcProber } from './probes/identify.js';
import type { BusyTime } from './reports/load.js';

/** A discovery service that runs. */
export interface DiscoveryApp extends App, AsyncDisposable {
  readonly addresses: Addresses;
}

/**
 * Starts the service: when the promise resolves, it is ready.
 *
 * @param overrides what tests put in the place of the real surroundings
 * @throws ListenError where a port is taken; ConfigError where a file that a setting names cannot be used
 */
export async function createApp(
  config: DiscoveryConfig,
  log: Logger,
  overrides: Partial<Surroundings> = {},
): Promise<DiscoveryApp> {
  const { clock = systemClock, readText = (path) => readFile(path, 'utf8') } = overrides;
  const files = await openFiles(config, { clock, log, readText });
  const { tls, tokens } = files;
  const surroundings: Surroundings = {
    clock,
    lookup: systemLookup,
    readText,
    prober: new GrpcProber({
      clock,
      insecure: config.tls.mode === 'insecure',
      timeoutMs: config.probe_timeout,
    }),
    tokens,
    busyMs: busyTimeOfLoop(),
    ...overrides,
  };
  const metrics = new Metrics({ site: config.site, service: 'discovery' });
  showCredentialExpiry(metrics, () => tls && (tls.files.current.expiresAt - clock.now()) / 1000);
  const discovery = new Discovery(config, surroundings, metrics, log);
  const doors = new Doors(config, tls, metrics, log);
  try {
    await doors.open(discovery, surroundings);
    await discovery.start();
  } catch (error) {
    discovery.stop();
    await doors.close(0);
    files.close();
    throw error;
  }
  const phases = new Phases()
    .add('not ready', () => doors.setServing(false))
    .add('cycles', () => discovery.stop())
    .add('listeners', (leftMs) => doors.close(leftMs))
    .add('certificates', () => files.close());
  doors.setServing(true);
  const stop = async () => {
    await phases.run(config.shutdown_grace, log);
  };
  return { addresses: doors.addresses, stop, [Symbol.asyncDispose]: stop };
}

/** Of the loop of this process; what others take of its core counts as busy, too. */
function busyTimeOfLoop(): BusyTime {
  let before = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { active } = performance.eventLoopUtilization(now, before);
    before = now;
    return active;
  };
}
