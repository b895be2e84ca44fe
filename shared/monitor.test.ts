import { afterEach, describe, expect, it } from 'vitest';
import { silentLogger } from './logger.js';
import { Metrics } from './metrics/registry.js';
import { type Monitor, type Readiness, startMonitor } from './monitor.js';

const open: Monitor[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((monitor) => monitor.close()));
});

async function start(
  options: { metrics?: Metrics; ready?: () => Readiness; port?: number } = {},
): Promise<Monitor> {
  const monitor = await startMonitor({
    host: '127.0.0.1',
    port: options.port ?? 0,
    metrics: options.metrics ?? new Metrics({ site: 'lab', service: 'discovery' }),
    ready: options.ready ?? (() => ({ ready: true })),
    log: silentLogger(),
  });
  open.push(monitor);
  return monitor;
}

async function get(monitor: Monitor, path: string, method = 'GET') {
  const response = await fetch(`http://${monitor.address}${path}`, { method });
  return { status: response.status, type: response.headers.get('content-type'), text: await response.text() };
}

describe('startMonitor', () => {
  it('says that the process lives', async () => {
    const monitor = await start({ ready: () => ({ ready: false, why: 'starting' }) });
    expect(await get(monitor, '/livez')).toMatchObject({ status: 200, text: 'ok\n' });
  });

  it('says whether the service is ready, and why not', async () => {
    let readiness: Readiness = { ready: false, why: 'watching no discovery' };
    const monitor = await start({ ready: () => readiness });
    expect(await get(monitor, '/readyz')).toMatchObject({ status: 503, text: 'watching no discovery\n' });
    readiness = { ready: true };
    expect(await get(monitor, '/readyz?verbose')).toMatchObject({ status: 200, text: 'ok\n' });
    readiness = { ready: true, but: 'the log is not written' };
    expect(await get(monitor, '/readyz')).toMatchObject({
      status: 200,
      text: 'ok, but the log is not written\n',
    });
  });

  it('serves the metrics as Prometheus reads them', async () => {
    const { status, type, text } = await get(await start(), '/metrics');
    expect(status).toBe(200);
    expect(type).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(text).toContain('slipway_build_info{');
  });

  it('answers HEAD without a body', async () => {
    expect(await get(await start(), '/readyz', 'HEAD')).toMatchObject({ status: 200, text: '' });
  });

  it.each([
    ['/', 'GET'],
    ['/metrics/', 'GET'],
    ['/livez', 'POST'],
  ])('has nothing at %s for %s', async (path, method) => {
    expect(await get(await start(), path, method)).toMatchObject({ status: 404 });
  });

  it('answers 500 where metrics cannot be collected, and lives on', async () => {
    const metrics = new Metrics({ site: 'lab', service: 'discovery' });
    metrics.gauge({
      name: 'broken',
      help: 'Broken.',
      read: () => {
        throw new Error('out of file descriptors');
      },
    });
    const monitor = await start({ metrics });
    expect(await get(monitor, '/metrics')).toMatchObject({ status: 500, text: 'internal error\n' });
    expect(await get(monitor, '/livez')).toMatchObject({ status: 200 });
  });

  it('says in a sentence that its address is taken', async () => {
    const { port } = await start();
    await expect(start({ port })).rejects.toThrow(
      `cannot listen on 127.0.0.1:${port}: another program listens there already`,
    );
  });

  it('closes at once, also with an idle connection open, and twice', async () => {
    const monitor = await start();
    await get(monitor, '/livez');
    await monitor.close();
    await monitor.close();
    await expect(get(monitor, '/livez')).rejects.toThrow();
  });
});
