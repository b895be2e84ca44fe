import { describe, expect, it } from 'vitest';
import { runScript, started } from '../../test/fakes/script.js';

/** A script that runs an app; `app` is the source of it. */
function script(app: string): string {
  return `
    import { createLogger } from '${new URL('../logger.ts', import.meta.url).href}';
    import { ListenError } from '${new URL('../net/listen-error.ts', import.meta.url).href}';
    import { runProcess } from '${new URL('./run-process.ts', import.meta.url).href}';
    import { StartError } from '${new URL('./start-error.ts', import.meta.url).href}';
    const log = createLogger({ service: 'test', site: 'lab', level: 'info', logfile: 'stdout' });
    setInterval(() => {}, 60_000);
    await runProcess({ log, start: async () => (${app}) }, process);`;
}

const idle = `{ addresses: { api: '127.0.0.1:1' }, stop: async () => log.info('cleaned up') }`;

describe('runProcess', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('stops the app on %s and exits with 0', async (signal) => {
    const run = runScript(script(idle));
    expect(await run.line(started)).toMatchObject({ addresses: { api: '127.0.0.1:1' } });
    run.kill(signal);
    const { code, messages } = await run.end();
    expect({ code, messages }).toEqual({
      code: 0,
      messages: ['started', 'stopping', 'cleaned up', 'stopped'],
    });
  });

  it('exits at once, with 1, on a second signal', async () => {
    const run = runScript(script(`{ addresses: {}, stop: () => new Promise(() => {}) }`));
    await run.line(started);
    run.kill('SIGTERM');
    await run.line('stopping');
    run.kill('SIGINT');
    const { code, messages } = await run.end();
    expect(code).toBe(1);
    expect(messages.at(-1)).toMatch(/told a second time/);
  });

  it('is preceded by nothing to stop: a signal exits with 0', async () => {
    const early = new URL('./early-signals.ts', import.meta.url).href;
    const run = runScript(`
      import { exitOnSignals } from '${early}';
      exitOnSignals(process);
      setInterval(() => {}, 60_000);
      console.log(JSON.stringify({ msg: 'loading' }));`);
    await run.line('loading');
    run.kill('SIGTERM');
    expect((await run.end()).code).toBe(0);
  });

  it('takes over from what was done on signals before', async () => {
    const run = runScript(`process.once('SIGTERM', () => process.exit(0));${script(idle)}`);
    await run.line(started);
    run.kill('SIGTERM');
    expect((await run.end()).messages.at(-1)).toBe('stopped');
  });

  it('loses no signal that comes in the moment in which it takes over', async () => {
    const early = `process.once('SIGTERM', () => process.exit(7)); process.kill(process.pid, 'SIGTERM');`;
    const { code, messages } = await runScript(
      script(idle).replace('await runProcess', `${early} await runProcess`),
    ).end();
    expect({ code, last: messages.at(-1) }).toEqual({ code: 0, last: 'stopped' });
  });

  it('stops an app that was still starting when the signal came', async () => {
    const slow = `(await new Promise((resolve) => { process.once('SIGUSR2', resolve); log.info('half'); }), ${idle})`;
    const run = runScript(script(slow));
    await run.line('half');
    run.kill('SIGTERM');
    run.kill('SIGUSR2');
    const { code, messages } = await run.end();
    expect({ code, messages }).toEqual({
      code: 0,
      messages: ['half', 'started', 'stopping', 'cleaned up', 'stopped'],
    });
  });

  it('exits with 0 where a start that was told to stop never comes to an end', async () => {
    const run = runScript(
      script(`(log.info('half'), await new Promise((resolve) => setInterval(resolve, 60_000)))`),
    );
    await run.line('half');
    run.kill('SIGTERM');
    expect((await run.end()).code).toBe(0);
  });

  it('stops an app that comes to its end by itself', async () => {
    const run = runScript(script(`{ addresses: {}, done: Promise.resolve(), stop: async () => {} }`));
    expect(await run.end()).toMatchObject({ code: 0, messages: ['started', 'stopping', 'stopped'] });
  });

  it.each([
    ['an exception that nobody caught', `(setImmediate(() => { throw new Error('oops') }), ${idle})`],
    [
      'a rejection that nobody handled',
      `(void setImmediate(() => Promise.reject(new Error('oops'))), ${idle})`,
    ],
    ['a start that fails for no known reason', `(() => { throw new Error('oops') })()`],
    [
      'a stop that fails',
      `{ addresses: {}, done: Promise.resolve(), stop: () => Promise.reject(new Error('oops')) }`,
    ],
  ])('logs %s and exits with 1', async (_, app) => {
    const run = runScript(script(app));
    expect(await run.line('crashed')).toMatchObject({
      level: 'fatal',
      err: { message: 'oops', stack: expect.stringContaining('Error: oops') },
    });
    expect((await run.end()).code).toBe(1);
  });

  it('says in a sentence what keeps it from starting, and exits with 1', async () => {
    const taken = `(() => { throw new ListenError('cannot listen on 0.0.0.0:7: it is no address of this machine') })()`;
    const { code, stderr, messages } = await runScript(script(taken)).end();
    const sentence = 'cannot start: cannot listen on 0.0.0.0:7: it is no address of this machine';
    expect({ code, stderr, messages }).toEqual({ code: 1, stderr: `${sentence}\n`, messages: [sentence] });
  });

  it('shows a StartError as it is', async () => {
    const { code, stderr } = await runScript(script(`(() => { throw new StartError('no helper') })()`)).end();
    expect({ code, stderr }).toEqual({ code: 1, stderr: 'cannot start: no helper\n' });
  });
});
