// The slipway command and a provisioner that works: what it does is seen, and what it is told happens.

import { describe, expect, test } from 'vitest';
import { plain } from '../fakes/fake-event-log.js';
import { type SlipwayResult, slipway } from '../fakes/fake-terminal.js';
import { serveEvents } from './events-support.js';
import { Site, snapshotOf, startDiscovery, startNodes } from './provisioner-support.js';

interface Stage {
  readonly site: Site;
  run(...words: string[]): Promise<SlipwayResult>;
}

/** A provisioner with one node that is provisioned, and one that says that it is already. */
async function stage(): Promise<Stage> {
  const [site, discovery, nodes] = [new Site(), await startDiscovery(), await startNodes()];
  const [good, bad] = [nodes.add('good.example.net'), nodes.add('bad.example.net')];
  bad.answers.set('Identify', { provisioning: false });
  discovery.greet = snapshotOf(nodes, good, bad);
  const app = await site.start([discovery.address]);
  for (const node of [good, bad]) {
    await site.line(({ msg, identity }) => msg.startsWith('run finished') && identity === node.identity);
  }
  const env = { SLIPWAY_TLS_MODE: 'insecure', SLIPWAY_PROVISIONER: app.addresses.api ?? '' };
  return { site, run: (...words) => slipway(words, { env }) };
}

describe('slipway and a provisioner', () => {
  test('what it did, and why a host is where it is', async () => {
    const { run } = await stage();
    const status = await run('status');
    expect(status).toMatchObject({ code: 0, err: '' });
    expect(status.out).toMatch(/^ready +yes$/m);
    expect(status.out).toMatch(/^failed +1 run: 1 NOT_PROVISIONING$/m);
    const hosts = await run('hosts');
    expect(hosts.out).toMatch(/^good\.example\.net +held .*PROVISIONED/m);
    const failed = await run('why', 'bad.example.net');
    expect(failed).toMatchObject({ code: 0, err: '' });
    expect(failed.out).toContain('FAILED NOT_PROVISIONING');
    expect(failed.out).toContain('the node takes no configuration any more');
    expect(failed.out).toContain('What to do: ');
    const held = await run('why', 'good.example.net');
    expect(held.out).toMatch(/It waits for the end of its hold, for .* more, until \d\d:\d\d:\d\d\./);
    expect(held.out.split('\n').length).toBeLessThan(24);
    expect(JSON.parse((await run('host', 'good.example.net', '--json')).out)).toMatchObject({
      host: { identity: 'good.example.net', state: 'HOST_STATE_HELD', lastOutcome: 'OUTCOME_PROVISIONED' },
      runs: [{ outcome: 'OUTCOME_PROVISIONED' }],
    });
  });

  test('what nobody has heard of is exit code 3', async () => {
    const { run } = await stage();
    expect(await run('why', 'nobody.example.net')).toMatchObject({
      code: 3,
      out: '',
      err: expect.stringContaining('nothing is known of nobody.example.net'),
    });
  });

  test('a pause, its reason, and its end', async () => {
    const { run } = await stage();
    expect((await run('pause', 'switch maintenance')).out).toMatch(/^paused: yes, .*: switch maintenance\n$/);
    expect((await run('status')).out).toMatch(/^paused +yes, .*switch maintenance$/m);
    expect(await run('provision', 'good.example.net')).toMatchObject({ code: 1, out: '' });
    expect(await run('resume')).toMatchObject({ code: 0, out: 'resumed\n' });
    expect((await run('status')).out).toMatch(/^paused +no$/m);
  });

  test('a host is released, and provisioned again', async () => {
    const { run, site } = await stage();
    expect(await run('provision', 'good.example.net')).toMatchObject({ code: 0 });
    const again = () =>
      site.lines.filter(
        ({ msg, identity }) => msg.startsWith('run finished') && identity === 'good.example.net',
      );
    await site.line(() => again().length >= 2);
    expect(await run('release', 'good.example.net')).toMatchObject({
      code: 0,
      out: expect.stringContaining('good.example.net is released; it was held'),
    });
    expect(await run('release', 'good.example.net')).toMatchObject({ code: 3 });
  });
});

describe('slipway events and the event service', () => {
  test('read and follow the same log, with what is missing told where it is missing', async () => {
    const { log, server } = await serveEvents();
    const words = ['events', '--insecure', '--provisioner', server.address];
    log.append(plain(5));
    log.lose(2);
    log.append([{ type: 'PAUSED' }, { type: 'RUN_FINISHED', identity: 'n1.example.net' }]);
    log.removeUpTo(2);
    const told = (out: string) => out.match(/events? \d+ to \d+ are missing|event \d is missing/g);
    const { logId } = log;
    const all = await slipway([...words, '--earliest']);
    expect(all).toMatchObject({ code: 0, err: '' });
    expect(all.out.trimEnd().split('\n')).toHaveLength(6);
    expect(told(all.out)).toEqual(['events 6 to 7 are missing']);
    const after = await slipway([...words, '--after', `${logId}:0`]);
    expect(told(after.out)).toEqual(['events 1 to 2 are missing', 'events 6 to 7 are missing']);
    const filtered = await slipway([...words, '--after', `${logId}:7`, '--type', 'run-finished', '--json']);
    expect(JSON.parse(filtered.out)).toMatchObject({ logId, events: [{ sequence: '9' }], gaps: [] });
    const newest = await slipway([...words, '--last', '2']);
    expect(newest.out.match(/PAUSED|RUN_FINISHED|RUN_STARTED/g)).toEqual(['PAUSED', 'RUN_FINISHED']);
    expect(await slipway([...words, '--after', `${logId}:90`])).toMatchObject({ code: 1, out: '' });

    const stop = new AbortController();
    const look = (printed: string) => void (printed.includes('"10"') && stop.abort());
    const following = slipway([...words, '-f', '--after', `${logId}:8`, '--json'], {
      stop: stop.signal,
      onOut: look,
    });
    log.append([{ type: 'RESUMED' }]);
    const followed = await following;
    expect(followed).toMatchObject({ code: 0, err: `to go on from here: --after ${logId}:10\n` });
    expect(
      followed.out
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).sequence),
    ).toEqual(['9', '10']);
  });
});
