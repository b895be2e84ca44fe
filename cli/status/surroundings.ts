// What a provisioner depends on, as its status shows it: helper, discovery, the event log, keys and certificates.

import type {
  BreakerStatus,
  CredentialStatus,
  DiscoveryStatus,
  LogStatus,
} from '../../shared/gen/slipway/provisioner/v1/provisioner.js';
import { printable } from '../../shared/printable.js';
import { count } from '../text/count.js';
import { moment, since, wireSpan } from '../text/moments.js';
import type { Toned } from '../text/paint.js';
import type { View } from '../text/view.js';

export function breakerLine(breaker: BreakerStatus | undefined, view: View): Toned {
  if (breaker === undefined) return '';
  const { open, failures, limit, reason } = breaker;
  if (!open && failures === 0) return 'works';
  const last = reason === '' ? '' : `; the last: ${printable(reason)}${colon(breaker.message)}`;
  const row = `${count(failures, 'failure')} in a row`;
  if (!open) return `${row}, at ${limit} no run starts any more${last}`;
  const probe = breaker.nextProbeAt === undefined ? '' : `; tried again ${moment(breaker.nextProbeAt, view)}`;
  const text = `fails: no run has started ${since(breaker.since, view)}, after ${row}${probe}${last}`;
  return { text, tone: 'bad' };
}

export function discoveryLines(discovery: DiscoveryStatus, view: View): Toned[] {
  const { address, connected, epoch, interval, revision, skipped, lastError } = discovery;
  const name = printable(address);
  const passed = skipped === 0n ? '' : `; ${count(skipped, 'event')} not understood and passed over`;
  if (!connected) {
    const text = `${name}: not watched ${since(discovery.since, view)}${colon(lastError)}${passed}`;
    return [{ text, tone: 'bad' }];
  }
  const pace = interval === undefined ? '' : `, nodes are sighted every ${wireSpan(interval)}`;
  const place = epoch === '' ? '' : `, revision ${revision}`;
  return [`${name}: watched ${since(discovery.since, view)}${pace}${place}${passed}`];
}

export function logLines(log: LogStatus | undefined): Toned[] {
  if (log === undefined) return [];
  const { logId, first, last, lost, failing, error, subscribers, uncommittedBytes } = log;
  const range = last === 0n ? 'empty' : `${first} to ${last}`;
  const waiting =
    uncommittedBytes > 1_048_576n ? `, ${uncommittedBytes / 1_048_576n} MiB not written yet` : '';
  const lines: Toned[] = [
    `${range} in log ${printable(logId)}${waiting}; ${count(subscribers, 'subscriber')}`,
  ];
  if (failing) lines.push({ text: `cannot be written${colon(error)}`, tone: 'bad' });
  if (lost > 0n)
    lines.push({
      text: `${count(lost, 'event')} could not be written and ${lost === 1n ? 'is' : 'are'} lost`,
      tone: 'bad',
    });
  return lines;
}

export function credentialLine(credential: CredentialStatus, view: View): Toned {
  const { name, expiresAt, usable, message } = credential;
  if (!usable)
    return { text: `${printable(name)}: not usable, runs wait for it${colon(message)}`, tone: 'bad' };
  if (expiresAt === undefined) return `${printable(name)}: does not expire`;
  const left = expiresAt.getTime() - view.now;
  const verb = left < 0 ? 'expired' : 'expires';
  const tone = left < 0 ? 'bad' : left < soonMs ? 'busy' : undefined;
  return { text: `${printable(name)}: ${verb} ${moment(expiresAt, view)}`, tone };
}

/** What expires within it is to be seen to. */
const soonMs = 7 * 86_400_000;

function colon(text: string): string {
  return text === '' ? '' : `: ${printable(text)}`;
}
