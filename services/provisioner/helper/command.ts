// The `helper` setting: which program with which arguments, and whether it can be started at all.

import { access, constants, open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { splitWords, WordsError } from './words.js';

export type HelperCommand = readonly [program: string, ...args: string[]];

/** The setting names no program. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}

/**
 * Splits the setting into a program and its arguments.
 *
 * @throws CommandError where it cannot be split or there is nothing in it
 */
export function parseHelperCommand(text: string): HelperCommand {
  const [program, ...args] = split(text);
  if (program === undefined || program === '') throw new CommandError('it names no program');
  if (text.includes('\0')) throw new CommandError('it has a NUL character');
  return [program, ...args];
}

function split(text: string): string[] {
  try {
    return splitWords(text);
  } catch (error) {
    if (error instanceof WordsError) throw new CommandError(error.message, { cause: error });
    throw error;
  }
}

/**
 * Says why the program cannot be started, looking where the system would look.
 *
 * @param path the value of PATH
 * @returns a sentence, or undefined where nothing speaks against it
 */
export async function startProblem(program: string, path: string | undefined): Promise<string | undefined> {
  if (program.includes('/')) return fileProblem(program);
  const folders = (path ?? '').split(':');
  let problem: string | undefined;
  for (const folder of folders) {
    const file = join(folder === '' ? '.' : folder, program);
    const fileSays = await fileProblem(file);
    if (fileSays === undefined) return undefined;
    // The system goes on to the next folder as well; the first file of that name is what was meant.
    if (!fileSays.endsWith(missing)) problem ??= fileSays;
  }
  return problem ?? `helper ${program} was not found in PATH (${path ?? 'which is not set'})`;
}

const missing = 'does not exist';

async function fileProblem(file: string): Promise<string | undefined> {
  try {
    const stats = await stat(file);
    if (!stats.isFile()) return `helper ${file} is no file`;
    await access(file, constants.X_OK);
  } catch (error) {
    switch (errorCode(error)) {
      case 'ENOENT':
      case 'ENOTDIR':
        return `helper ${file} ${missing}`;
      case 'EACCES':
        return `helper ${file} is not executable for this user`;
      default:
        return `helper ${file} cannot be used (${errorCode(error)})`;
    }
  }
  return interpreterProblem(file);
}

/** Scripts name their interpreter in the first line; the system says ENOENT where that is missing. */
async function interpreterProblem(file: string): Promise<string | undefined> {
  const interpreter = /^#![ \t]*([^ \t\n\0]+)/.exec(await beginning(file))?.[1];
  if (interpreter === undefined) return undefined;
  if (interpreter.endsWith('\r'))
    return `helper ${file} has Windows line ends, so its interpreter is not found`;
  try {
    await access(interpreter, constants.X_OK);
    return undefined;
  } catch {
    return `helper ${file} names the interpreter ${interpreter}, which cannot be run`;
  }
}

async function beginning(file: string): Promise<string> {
  try {
    const handle = await open(file);
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(256), 0, 256, 0);
      return buffer.toString('latin1', 0, bytesRead);
    } finally {
      await handle.close();
    }
  } catch {
    return ''; // What can be run need not be readable.
  }
}

function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
