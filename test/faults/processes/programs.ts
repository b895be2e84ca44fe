// The two steps that call no node: the helper runs, and the server token is signed. Programs and files misbehave, or are
// held while something is done to a process.

import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type LogLine, untilLine } from '../../e2e/strangers/log.js';
import type { FaultName, FaultStep } from '../table.js';
import { type Form, intervalFor, type ProgramFault } from './forms.js';
import { Gate } from './gate.js';
import { keyRequestAgain } from './late-copy.js';
import { patienceMs, Scene } from './scene.js';
import { isEnd } from './story.js';
import { strike } from './strikes.js';

const steps = ['HELPER', 'CREDENTIALS'] as const satisfies readonly FaultStep[];

/** The file that server tokens are signed with. */
class SigningFile {
  readonly #path: string;
  readonly #content: string;
  readonly #gate: Gate;

  constructor({ stack }: Scene) {
    this.#path = stack.trust?.signingKey ?? '';
    this.#content = readFileSync(this.#path, 'utf8');
    this.#gate = new Gate(join(stack.directory, 'signing.gate'));
  }

  /** From now on the disk does not answer. */
  hang(): void {
    this.#gate.replace(this.#path);
  }

  untilHeld(): Promise<void> {
    return this.#gate.untilHeld();
  }

  remove(): void {
    rmSync(this.#path);
  }

  /** It can be read, and its key cannot sign: one of its primes is none. */
  damage(): void {
    const jwk = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' });
    const prime = Buffer.from(jwk.p ?? '', 'base64url');
    const even = Buffer.concat([prime.subarray(0, -1), Buffer.of((prime.at(-1) ?? 0) & 0xfe)]);
    const key = createPrivateKey({ key: { ...jwk, p: even.toString('base64url') }, format: 'jwk' });
    this.#put(key.export({ format: 'pem', type: 'pkcs8' }).toString());
  }

  /** It is as it was, but for who waits for the disk already. */
  mend(): void {
    this.#put(this.#content);
  }

  /** The disk answers who waits for it. */
  answer(): void {
    this.#gate.open(this.#content);
  }

  #put(content: string): void {
    writeFileSync(`${this.#path}.new`, content, { mode: 0o600 });
    renameSync(`${this.#path}.new`, this.#path);
  }
}

/** @returns the scene, run to its end */
export async function runPrograms(form: Form, program: ProgramFault): Promise<Scene> {
  const { fault } = form;
  const scene = await Scene.open({
    steps,
    call: undefined,
    interval: intervalFor(form),
    provisioner: {
      identify_timeout: '5s',
      rpc_timeout: '2s',
      helper_timeout: fault === 'hang' ? '4s' : '60s',
    },
    swarm: [],
  });
  const signing = new SigningFile(scene);
  if (program === 'FAULT') await runFault(fault, scene, signing);
  else {
    const helper = scene.helperWaits('HELPER');
    signing.hang();
    await scene.startNodes();
    await helper.untilHeld();
    await untilSigning(scene, signing);
    signing.mend();
    const letGo = await strike(scene, program);
    signing.answer();
    helper.open();
    await letGo();
  }
  await scene.untilOver();
  return scene;
}

/** The faults that are the steps' own. */
async function runFault(fault: FaultName, scene: Scene, signing: SigningFile): Promise<void> {
  switch (fault) {
    case 'lost request':
      scene.helperDoes('HELPER', 1, 'exit 1');
      signing.remove();
      await scene.startNodes();
      await untilSaid(scene, 'CREDENTIALS', ({ msg }) => msg.startsWith('waits for signing credentials'));
      signing.mend();
      return;
    case 'lost reply': {
      const helper = scene.helperWaits('HELPER', 1, 'exit 0');
      const nextRun = scene.helperWaits('CREDENTIALS', 2);
      signing.damage();
      await scene.startNodes();
      await untilSaid(scene, 'CREDENTIALS', isEnd);
      signing.mend();
      for (const gate of [nextRun, helper]) {
        await gate.untilHeld();
        gate.open();
      }
      return;
    }
    case 'duplicate':
      scene.helperDoes('HELPER', 1, 'answer; answer; exit 0');
      signing.hang();
      await scene.startNodes();
      await untilSigning(scene, signing);
      signing.mend();
      await keyRequestAgain(scene, 'CREDENTIALS');
      signing.answer();
      return;
    case 'hang': {
      const helper = scene.helperWaits('HELPER');
      signing.hang();
      await scene.startNodes();
      await helper.untilHeld();
      await untilSigning(scene, signing);
      signing.mend();
      // The disk answers later than any node may.
      await untilSaid(scene, 'HELPER', isEnd);
      signing.answer();
      helper.open();
      return;
    }
    default:
      throw new Error(`${fault} is no fault of a helper`);
  }
}

/** Resolves when the run of CREDENTIALS waits for the disk. */
async function untilSigning(scene: Scene, signing: SigningFile): Promise<void> {
  await untilSaid(scene, 'CREDENTIALS', ({ msg, step }) => msg === 'step completed' && step === 'HELPER');
  await signing.untilHeld();
}

async function untilSaid(scene: Scene, step: FaultStep, fits: (line: LogLine) => boolean): Promise<void> {
  const identity = scene.identity(step);
  const ofNode = (line: LogLine) => line.identity === identity && fits(line);
  await untilLine(scene.stack.logFile('provisioner'), ofNode, patienceMs);
}
