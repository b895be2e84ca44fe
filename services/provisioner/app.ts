// The provisioner as an app: its listeners, and an end in order.

import { randomUUID } from 'node:crypto';
import { type Clock, systemClock } from '../../shared/clock.js';
import { type RunningServer, startServer } from '../../shared/grpc/server.js';
import type { Logger } from '../../shared/logger.js';
import type { Metrics } from '../../shared/metrics/registry.js';
import { type Monitor, startMonitor } from '../../shared/monitor.js';
import type { App } from '../../shared/process/run-process.js';
import { systemRandom } from '../../shared/random.js';
import { Phases } from '../../shared/shutdown.js';
import { eventEncoder } from './api/convert-event.js';
import { provisioningEventService } from './api/events-service.js';
import { provisionerService } from './api/provisioner-service.js';
import { recallFrom } from './api/recall.js';
import type { ProvisionerConfig } from './config.js';
import { prepareDataDir } from './data-dir.js';
import { EventLog } from './events/log/event-log.js';
import { openStore } from './events/log/open.js';
import { Provisioner, type Surroundings } from './provisioner.js';
import { openTrust } from './trust.js';

export interface ProvisionerApp extends App, AsyncDisposable {
  readonly metrics: Metrics;
}

/** Runs have this share of the grace: the rest is for what comes after them. */
const runsShare = 0.9;

/**
 * Starts the provisioner. It listens when this resolves; whether it watches a discovery service yet is its
 * readiness.
 *
 * @param given the environment, which helpers inherit; clock and randomness are the machine's unless given
 * @throws StartError, ListenError
 * @throws ConfigError where a key, token or certificate that a setting names cannot be used
 */
export async function createApp(
  config: ProvisionerConfig,
  log: Logger,
  given: Pick<Surroundings, 'env'> & Partial<Surroundings>,
): Promise<ProvisionerApp> {
  const surroundings = { clock: systemClock, random: systemRandom, ...given };
  await prepareDataDir(config.data_dir);
  const trust = await openTrust(config, { clock: surroundings.clock, log });
  const instance = randomUUID();
  const eventLog = await openEventLog(config, log, { clock: surroundings.clock, instance });
  const provisioner = new Provisioner(config, trust, log, { ...surroundings, instance, eventLog });
  const events = provisioningEventService({ events: eventLog, clock: surroundings.clock, log });
  provisioner.subscribers = () => events.subscribers;
  const { metrics } = provisioner;
  let server: RunningServer | undefined;
  let monitor: Monitor | undefined;

  const phases = new Phases(surroundings.clock)
    .add('runs', (leftMs) => provisioner.stopRuns(leftMs * runsShare))
    .add('discovery, helpers and confirmations', () => provisioner.close())
    .add('api', (leftMs) => server?.stop(leftMs))
    .add('subscribers', () => events.close())
    .add('monitor', () => monitor?.close())
    .add('credentials', () => trust.close())
    .add('event log', () => eventLog.close());
  const stop = async () => {
    await phases.run(config.shutdown_grace, log);
  };

  try {
    // Before anybody can ask for another one.
    await provisioner.pause.restore();
    server = await startServer({
      listen: config.listen,
      services: [
        provisionerService({
          pause: provisioner.pause,
          overview: provisioner.overview,
          control: provisioner.control,
          recall: recallFrom({ events: eventLog, instance, log }),
          log,
        }),
        events,
      ],
      ...(trust.tls && {
        credentials: trust.tls.serverCredentials,
        authenticator: trust.tls.authenticator,
      }),
      serving: false,
      log,
    });
    const { setServing } = server;
    provisioner.readinessChanged = () => setServing(provisioner.readiness.ready);
    if (config.monitor_port > 0) {
      const ready = () => provisioner.readiness;
      monitor = await startMonitor({
        host: config.monitor_host,
        port: config.monitor_port,
        metrics,
        ready,
        log,
      });
    }
    provisioner.start();
  } catch (error) {
    await stop();
    throw error;
  }
  const addresses = {
    api: server.address,
    ...(monitor !== undefined && { monitor: monitor.address }),
  };
  return { addresses, metrics, stop, [Symbol.asyncDispose]: stop };
}

/** @throws StartError where another process has it open, or it cannot be made */
async function openEventLog(
  { data_dir: dataDir, site, events: { max_count: maxCount, max_age: maxAgeMs } }: ProvisionerConfig,
  log: Logger,
  { clock, instance }: { readonly clock: Clock; readonly instance: string },
): Promise<EventLog> {
  const store = await openStore({ dataDir, site, clock, log });
  const encode = eventEncoder({ site, provisioner: instance });
  return new EventLog({ store, clock, log, encode, retention: { maxCount, maxAgeMs } });
}
