// Addresses at which nobody ever says a word. They cover all of 127.0.0.0/8.

import { type ChildProcess, spawn } from 'node:child_process';
import { connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { until } from '../../cli/launch/until.js';
import { listenAnywhere } from './listen.js';

/** @returns a port that accepts connections and then is silent */
export async function silentPort(): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
  });
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  return await listenAnywhere(server, '0.0.0.0');
}

/** Listens with the shortest queue there is and then stands still: its kernel drops what does not fit. */
const standstill = `
const server = require('node:net').createServer();
server.listen(0, '0.0.0.0', 1, () => {
  require('node:fs').writeSync(1, String(server.address().port) + '\\n');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300_000);
  process.exit();
});
`;

/** @returns a port at which connections are neither accepted nor refused: what asks for one is dropped */
export async function droppingPort(): Promise<number> {
  const child = spawn(process.execPath, ['-e', standstill], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const port = await firstNumber(child);
  const held: Socket[] = [];
  onTestFinished(() => {
    for (const socket of held) socket.destroy();
  });
  await until(async () => !(await connects(port, held)), { what: 'its queue is full', timeoutMs: 10_000 });
  return port;
}

function firstNumber(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.stdout?.once('data', (chunk) => resolve(Number(chunk)));
    child.once('exit', () => reject(new Error('it ended')));
  });
}

/** @returns false where the connection is not there within a moment */
function connects(port: number, held: Socket[]): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    held.push(socket);
    const timer = setTimeout(() => resolve(false), 300);
    socket.on('error', () => {});
    socket.once('connect', () => {
      clearTimeout(timer);
      resolve(true);
    });
  });
}
