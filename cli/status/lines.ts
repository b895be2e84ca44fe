// The status of a provisioner on one screen. What needs somebody's attention is red, and said in words.

import {
  type GetStatusResponse,
  type HostCounts,
  type OutcomeCount,
  type PauseStatus,
  type QueueStatus,
  type Rates,
  WorkerStatus,
} from '../../shared/gen/slipway/provisioner/v1/provisioner.js';
import { printable } from '../../shared/printable.js';
import { count } from '../text/count.js';
import { facts } from '../text/facts.js';
import { distance, since, wireSpan } from '../text/moments.js';
import { paint, type Toned } from '../text/paint.js';
import type { View } from '../text/view.js';
import { outcomeName } from '../words/outcomes.js';
import { breakerLine, credentialLine, discoveryLines, logLines } from './surroundings.js';

export function statusLines(status: GetStatusResponse, view: View): string[] {
  const { site, provisioner, version, startedAt } = status;
  const up = startedAt === undefined ? '' : `, up for ${distance(startedAt, view)}`;
  const title = `site ${printable(site)}: provisioner ${printable(provisioner)}, version ${printable(version)}${up}`;
  return [
    paint({ text: title, tone: 'title' }, view),
    ...facts(
      [
        ['ready', readyLine(status)],
        ['paused', pauseLine(status.pause, view)],
        ['queue', queueLine(status.queue)],
        ['workers', workersLine(status.workers)],
        ['hosts', hostsLine(status.hosts)],
        ['per second', ratesLine(status.rates)],
        ['runs', runsLines(status.outcomes)],
        ['confirmed', confirmationsLine(status)],
        ['helper', breakerLine(status.breaker, view)],
        ['discovery', status.discoveries.flatMap((each) => discoveryLines(each, view))],
        ['events', logLines(status.log)],
        ['keys', status.credentials.map((each) => credentialLine(each, view))],
      ],
      view,
    ),
  ];
}

function readyLine({ ready, notReadyBecause }: GetStatusResponse): Toned {
  if (ready) return { text: 'yes', tone: 'good' };
  return { text: `no: ${printable(notReadyBecause)}`, tone: 'bad' };
}

/** Who paused it, why, and for how long. */
export function pauseLine(pause: PauseStatus | undefined, view: View): Toned {
  if (pause?.paused !== true) return 'no';
  const by = pause.by === '' ? '' : ` by ${printable(pause.by)}`;
  const said = pause.message === '' ? '' : `: ${printable(pause.message)}`;
  const reasons = [
    ...(pause.byOperator ? [`paused${by}${said}`] : []),
    ...(pause.notLeader ? ['another provisioner is the leader'] : []),
  ];
  const time = since(pause.since, view);
  return { text: `yes, ${[time, ...reasons].filter((part) => part !== '').join('; ')}`, tone: 'busy' };
}

function queueLine(queue: QueueStatus | undefined): Toned {
  if (queue === undefined) return '';
  const { entries, limit, oldest, dropped } = queue;
  const waits = oldest === undefined ? '' : `, the oldest has waited ${wireSpan(oldest)}`;
  const lost = dropped === 0n ? '' : `; ${count(dropped, 'sighting')} did not fit`;
  const text = `${count(entries, 'host')} of at most ${limit}${waits}${lost}`;
  return { text, tone: entries >= limit ? 'bad' : undefined };
}

function workersLine(workers: WorkerStatus | undefined): Toned {
  const { busy, total } = workers ?? WorkerStatus.create();
  return `${busy} of ${total} busy`;
}

function hostsLine(hosts: HostCounts | undefined): Toned {
  if (hosts === undefined) return '';
  const { queued, running, held, backingOff } = hosts;
  return `${queued} queued, ${running} running, ${held} held, ${backingOff} backing off`;
}

function ratesLine(rates: Rates | undefined): Toned {
  if (rates === undefined) return '';
  const { sightings, runs, provisioned, failed, confirmed } = rates;
  const each = { sightings, runs, provisioned, failed, confirmed };
  const said = Object.entries(each).map(([name, rate]) => `${rate.toFixed(1)} ${name}`);
  return `${said.join(', ')} (last minute)`;
}

function runsLines(outcomes: readonly OutcomeCount[]): Toned {
  if (outcomes.length === 0) return 'none since its start';
  const most = outcomes.toSorted((one, other) => Number(other.count - one.count));
  return most.map((each) => `${each.count} ${outcomeName(each)}`).join(', ');
}

function confirmationsLine({ confirmations }: GetStatusResponse): Toned {
  if (confirmations === undefined) return '';
  const { confirmed, pending, missed } = confirmations;
  return `${count(confirmed, 'node')}; ${pending} awaited, ${missed} missed`;
}
