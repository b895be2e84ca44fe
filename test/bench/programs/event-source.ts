// The event log and the service over it, as the provisioner has them, with events made up: event-source.ts FOLDER PORT. It
// says READY; on a line of input, "RATE COUNT", it publishes so many events, so many a second (0: as fast as they are
// written), and says the number of the last once it is committed.

import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { eventEncoder } from '../../../services/provisioner/api/convert-event.js';
import { provisioningEventService } from '../../../services/provisioner/api/events-service.js';
import { EventLog } from '../../../services/provisioner/events/log/event-log.js';
import { openStore } from '../../../services/provisioner/events/log/open.js';
import { systemClock } from '../../../shared/clock.js';
import { startServer } from '../../../shared/grpc/server.js';
import { silentLogger } from '../../../shared/logger.js';
import { sampleEvents } from '../../fakes/provisioning-events.js';

const everyMs = 10;
/** What waits to be written, while as many are published as are written. */
const mostPendingBytes = 1 << 20;

const [dataDir = '', port = '0'] = process.argv.slice(2);
const log = silentLogger();
const store = await openStore({ dataDir, site: 'bench', clock: systemClock, log });
const events = new EventLog({
  store,
  clock: systemClock,
  log,
  encode: eventEncoder({ site: 'bench', provisioner: 'bench' }),
  retention: { maxCount: 10_000_000, maxAgeMs: 86_400_000 },
});
const service = provisioningEventService({ events, clock: systemClock, log });
await startServer({ listen: `127.0.0.1:${port}`, services: [service], log });
const { HOST_QUEUED, RUN_STARTED, STEP_COMPLETED, RUN_FINISHED, NODE_CONFIRMED } = sampleEvents();
/** Of one node: as many steps as a run takes. */
const ofNode = [
  ...[HOST_QUEUED, RUN_STARTED, STEP_COMPLETED, STEP_COMPLETED, STEP_COMPLETED],
  ...[STEP_COMPLETED, STEP_COMPLETED, RUN_FINISHED, NODE_CONFIRMED],
];

createInterface({ input: process.stdin })
  .on('close', () => process.exit())
  .on('line', (line) => {
    const [rate = 0, count = 0] = line.split(' ').map(Number);
    void publish(rate, count).then(() => process.stdout.write(`${events.last}\n`));
  });
process.stdout.write('READY\n');

async function publish(rate: number, count: number): Promise<void> {
  const began = performance.now();
  let published = 0;
  while (published < count) {
    const due = rate === 0 ? count : ((performance.now() - began) / 1000) * rate;
    while (published < Math.min(due, count) && events.status.uncommittedBytes < mostPendingBytes) {
      const event = ofNode[published % ofNode.length];
      if (event !== undefined) events.publish(event);
      published += 1;
    }
    await wait(rate === 0 ? 0 : everyMs);
  }
  while (events.status.uncommittedBytes > 0) await wait(1);
}
