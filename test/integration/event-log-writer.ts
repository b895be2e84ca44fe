// Writes events to a log as fast as it can until it is killed, and says how far they are committed. Started by
// event-log-kill.test.ts: node event-log-writer.ts DATA_DIR

import { eventEncoder } from '../../services/provisioner/api/convert-event.js';
import { EventLog } from '../../services/provisioner/events/log/event-log.js';
import { openStore } from '../../services/provisioner/events/log/open.js';
import { systemClock } from '../../shared/clock.js';
import { silentLogger } from '../../shared/logger.js';
import { event } from '../fakes/provisioning-events.js';

const [dataDir = ''] = process.argv.slice(2);
const log = silentLogger();
const store = await openStore({ dataDir, site: 'lab', clock: systemClock, log });
// Opened anew all the time, so that it is killed within that as well.
const refresh = store.refresh.bind(store);
store.refresh = () => refresh(1);
const events = new EventLog({
  store,
  clock: systemClock,
  log,
  encode: eventEncoder({ site: 'lab', provisioner: 'p1' }),
  retention: { maxCount: 1_000_000, maxAgeMs: 86_400_000 },
  // One write follows the other, so that it is killed within them.
  gatherMs: 0,
});
events.onCommitted(() => process.stdout.write(`${events.last}\n`));
setInterval(() => {
  for (let n = 0; n < 50; n += 1) events.publish(event('STEP_COMPLETED'));
}, 2);
