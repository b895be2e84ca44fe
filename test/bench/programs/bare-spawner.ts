// Starts one program again and again: bare-spawner.ts PROGRAM ARGUMENTS. A line of input, {id, input}, starts it; a line
// of output, {id, output}, says what it printed. It says READY first.

import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

const [program = '', ...args] = process.argv.slice(2);

createInterface({ input: process.stdin })
  .on('line', (line) => run(JSON.parse(line)))
  .on('close', () => process.exit());
process.stdout.write('READY\n');

function run({ id, input }: { readonly id: number; readonly input: string }): void {
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'ignore'] });
  const pieces: Buffer[] = [];
  child.stdout.on('data', (piece: Buffer) => void pieces.push(piece));
  child.on('close', () => {
    process.stdout.write(`${JSON.stringify({ id, output: Buffer.concat(pieces).toString() })}\n`);
  });
  // One that does not read closes its end early.
  child.stdin.on('error', () => {});
  child.stdin.end(input);
}
