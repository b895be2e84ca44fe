import { createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { freePorts } from './ports.js';

test('each name has a port of its own, below those of outgoing connections', async () => {
  const ports = Object.values(await freePorts(['a', 'b', 'c', 'd']));
  expect(new Set(ports).size).toBe(4);
  for (const port of ports) expect(port).toBeLessThan(32_768);
});

test('a port that is taken is passed over', async () => {
  const { a: taken } = await freePorts(['a']);
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(taken, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const choices = [(taken - 12_000 + 0.5) / 20_000, 0.999];
  const { a } = await freePorts(['a'], () => choices.shift() ?? Math.random());
  expect(a).not.toBe(taken);
});
