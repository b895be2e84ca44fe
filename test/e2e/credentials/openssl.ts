// OpenSSL's command line: what it says of keys and certificates depends on nothing of this project.

import { spawnSync } from 'node:child_process';
import type { TestContext } from 'vitest';

export interface OpensslSaid {
  readonly ok: boolean;
  /** Standard output. */
  readonly out: string;
  /** Standard output, then standard error. */
  readonly text: string;
}

/** Runs `openssl` with these arguments. */
export function openssl(args: readonly string[], input: string | Buffer = ''): OpensslSaid {
  const { status, stdout, stderr } = spawnSync('openssl', args, { input, encoding: 'utf8' });
  return { ok: status === 0, out: stdout, text: stdout + stderr };
}

/** Skips a test, and says why, where there is no openssl that can verify ed25519 signatures (3.0 or newer). */
export function needsOpenssl({ skip }: TestContext): void {
  skip(!canVerifyEd25519, 'openssl 3.0 or newer is missing');
}

const canVerifyEd25519 = /^OpenSSL ([3-9]|\d{2})\./.test(versionOf('openssl', ['version']));

/** Skips a test, and says why, where there is no such program. */
export function needsProgram({ skip }: TestContext, program: string): void {
  skip(versionOf(program, ['--version']) === '', `${program} is missing`);
}

function versionOf(program: string, args: readonly string[]): string {
  const { status, stdout } = spawnSync(program, args, { encoding: 'utf8' });
  return status === 0 ? stdout : '';
}
