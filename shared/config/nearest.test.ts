import { expect, test } from 'vitest';
import { nearest } from './nearest.js';

const settings = [
  'site',
  'nodes',
  'dir',
  'listen',
  'listen_nodes',
  'interval',
  'report_interval',
  'max_nodes',
  'max_nodes_per_source',
  'max_reports_per_source',
  'max_reports_per_second',
  'tls.mode',
  'events.max_count',
];

test.each([
  ['noeds', 'nodes'],
  ['ndoes', 'nodes'],
  ['stie', 'site'],
  ['sites', 'site'],
  ['lisetn', 'listen'],
  ['lissten_node', 'listen_nodes'],
  ['intreval', 'interval'],
  ['itnerval', 'interval'],
  ['intervals', 'interval'],
  ['max_report_per_sec', 'max_reports_per_second'],
  ['maxnodespersource', 'max_nodes_per_source'],
  ['MAX-NODES', 'max_nodes'],
  ['TLS_MODE', 'tls.mode'],
  ['events_max_count', 'events.max_count'],
])('%s means %s', (name, meant) => {
  expect(nearest(name, settings)).toBe(meant);
});

test.each(['workers', 'helper', 'do', 'x', '', 'token', 'side_effect', 'unknown_thing', 'time', 'lists'])(
  '%s is near nothing',
  (name) => {
    expect(nearest(name, settings)).toBeUndefined();
  },
);

test('of several that are near the nearest is meant', () => {
  expect(nearest('max_reports_per_secnd', settings)).toBe('max_reports_per_second');
  expect(nearest('max_reports_per_sorce', settings)).toBe('max_reports_per_source');
});

test('a name of any length costs little', () => {
  expect(nearest('x'.repeat(10_000_000), settings)).toBeUndefined();
});
