// The service: discovery behind its two listeners and the monitor port.

import { readFile } from 'node:fs/promises';
import { systemClock } from '../../shared/clock.js';
import { ConfigError, type Problem } from '../../shared/config/config-error.js';
import type { Logger } from '../../shared/logger.js';
import { Metrics } from '../../shared/metrics/registry.js';
import { systemLookup } from '../../shared/net/lookup.js';
import type { App } from '../../shared/process/run-process.js';
import { Phases } from '../../shared/shutdown.js';
import { loadTls } from '../../shared/tls/load-tls.js';
import type { DiscoveryConfig } from './config.js';
import { isFile, type ReadText } from './cycles/targets.js';
import { Discovery, type Surroundings } from './discovery.js';
import { type Addresses, Doors } from './doors.js';
import { showCredentialExpiry } from './metrics.js';
import { GrpcProber } from './probes/identify.js';
import { openTokens } from './reports/tokens.js';

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
  const surroundings: Surroundings = {
    clock: systemClock,
    lookup: systemLookup,
    readText: (path) => readFile(path, 'utf8'),
    prober: new GrpcProber({
      clock: overrides.clock ?? systemClock,
      insecure: config.tls.mode === 'insecure',
      timeoutMs: config.probe_timeout,
    }),
    tokens: overrides.tokens ?? (await openTokens(config.jwt_verify_cert, log)),
    ...overrides,
  };
  await checkTargets(config.targets, surroundings.readText);
  const { clock } = surroundings;
  const tls = await loadTls(config.tls, { service: 'discovery', clock, log });
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
    tls?.files.close();
    throw error;
  }
  const phases = new Phases()
    .add('not ready', () => doors.setServing(false))
    .add('cycles', () => discovery.stop())
    .add('listeners', (leftMs) => doors.close(leftMs))
    .add('certificates', () => tls?.files.close());
  doors.setServing(true);
  const stop = async () => {
    await phases.run(config.shutdown_grace, log);
  };
  return { addresses: doors.addresses, stop, [Symbol.asyncDispose]: stop };
}

/** @throws ConfigError: at start, a file that is not there is more likely a mistyped address */
async function checkTargets(targets: readonly string[], readText: ReadText): Promise<void> {
  const problems: Problem[] = [];
  for (const [index, target] of targets.entries()) {
    if (!isFile(target)) continue;
    try {
      await readText(target);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      problems.push({
        path: `targets[${index}]`,
        message: `is neither host:port nor a file that can be read: ${why}`,
      });
    }
  }
  if (problems.length > 0) throw new ConfigError('the configuration of discovery', problems);
}
