// What deploy/ has for Prometheus and Grafana, as far as it can be looked at without them. That its queries find
// something in what services serve is test/e2e/metrics.test.ts.

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { projectRoot } from '../../cli/launch/project.js';
import { readQuery } from '../queries/promql.js';
import { alertRules, dashboardPanels, prometheusConfig, read, shippedQueries } from '../queries/shipped.js';
import { Page, quoted } from './manual-support.js';

const rules = alertRules();
const panels = dashboardPanels();

interface ComposeFile {
  readonly services: Readonly<
    Record<
      string,
      { readonly image?: string; readonly profiles?: readonly string[]; readonly volumes?: readonly string[] }
    >
  >;
}

describe('alerts', () => {
  test.each(rules)('$alert leads to the manual', ({ annotations: { manual } }) => {
    const [path = '', anchor = ''] = manual.split('#');
    expect(existsSync(join(projectRoot(), path))).toBe(true);
    expect(new Page(path).hasAnchor(anchor)).toBe(true);
  });

  test('the manual has each, once', () => {
    const names = rules.map(({ alert }) => alert);
    expect(new Set(names).size).toBe(names.length);
    const documented = new Page('docs/operations.md')
      .rowsUnder('Alerts')
      .map(([first = '']) => quoted(first));
    expect(documented.flat().sort()).toEqual(names.sort());
  });
});

describe('the dashboard', () => {
  test('has panels with numbers of their own that do not lie on one another', () => {
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const taken = new Map<string, string>();
    for (const { title, gridPos } of panels) {
      expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++) {
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          expect(taken.get(`${x},${y}`), `${title} lies on`).toBeUndefined();
          taken.set(`${x},${y}`, title);
        }
      }
    }
  });

  test('asks something in every panel that is not the title of a row', () => {
    const silent = panels.filter(({ type, targets }) => type !== 'row' && targets.length === 0);
    expect(silent).toEqual([]);
  });
});

test.each(shippedQueries())('the query of $where can be read', ({ expr }) => {
  expect(readQuery(expr).selectors).not.toEqual([]);
});

describe('the profile observability of docker-compose.yml', () => {
  const { services } = parse(read('docker-compose.yml'), { merge: true }) as ComposeFile;

  test('is Prometheus and Grafana, of one version each; all else starts without it', () => {
    const names = Object.keys(services).filter((name) => services[name]?.profiles !== undefined);
    expect(names).toEqual(['prometheus', 'grafana']);
    for (const name of names) {
      expect(services[name]?.profiles).toEqual(['observability']);
      expect(services[name]?.image).toMatch(/:v?\d+\.\d+\.\d+$/);
    }
  });

  test('mounts what is there', () => {
    const mounted = ['prometheus', 'grafana'].flatMap((name) => services[name]?.volumes ?? []);
    const paths = mounted.map((volume) => volume.split(':')[0] ?? '').filter((path) => path.startsWith('.'));
    expect(paths).not.toEqual([]);
    for (const path of paths) expect(existsSync(join(projectRoot(), path)), path).toBe(true);
  });

  test('scrapes services that are there, and reads rules that are there', () => {
    const { scrape_configs: jobs, rule_files: files } = prometheusConfig();
    const hosts = jobs.flatMap(({ static_configs: configs }) =>
      configs.flatMap(({ targets }) => targets.map((target) => target.split(':')[0] ?? '')),
    );
    expect(hosts.filter((host) => services[host] === undefined)).toEqual([]);
    for (const file of files) expect(existsSync(join(projectRoot(), 'deploy/prometheus', file))).toBe(true);
  });
});

const promtool = spawnSync('promtool', ['--version']).error === undefined;
if (!promtool) process.stderr.write('There is no promtool: its own checks of the alerts are skipped.\n');

describe.skipIf(!promtool)('promtool', () => {
  test('takes the configuration and the alerts', () => {
    const file = join(projectRoot(), 'deploy/prometheus/prometheus.yml');
    const { status, stdout, stderr } = spawnSync('promtool', ['check', 'config', file], { encoding: 'utf8' });
    expect(status, stdout + stderr).toBe(0);
  });
});
