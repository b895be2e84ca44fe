// A disk that can be full: a small tmpfs of a test's own. It takes root, and leave, to mount one.

import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, truncateSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

const pageBytes = 4096;

export class SmallDisk {
  readonly folder: string;
  readonly #ballast: string;

  private constructor(folder: string) {
    this.folder = folder;
    this.#ballast = join(folder, 'ballast');
  }

  /** Mounts one over a folder, which is made where it is missing, until the test is over. @param size as of mount(8) */
  static mount(folder: string, size: string): SmallDisk {
    mkdirSync(folder, { recursive: true });
    mount(folder, size);
    // Also while somebody has a file of it open.
    onTestFinished(() => unmount(folder));
    return new SmallDisk(folder);
  }

  /** Takes all the room that there is. */
  fill(): void {
    const file = openSync(this.#ballast, 'a');
    try {
      for (;;) writeSync(file, Buffer.alloc(pageBytes));
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
    } finally {
      closeSync(file);
    }
  }

  /** Gives back what {@link fill} has taken, or so much of it. */
  empty(left = 0): void {
    truncateSync(this.#ballast, left);
  }
}

/** Whether disks can be mounted here; where not, it says so once. */
export const mayMount = tryToMount();

function tryToMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-mount-'));
  try {
    mount(folder, '64k');
    unmount(folder);
    return true;
  } catch {
    process.stderr.write('no disk can be mounted here (it takes root): tests of full disks are skipped\n');
    return false;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function mount(folder: string, size: string): void {
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder], { stdio: 'pipe' });
}

function unmount(folder: string): void {
  execFileSync('umount', ['--lazy', folder], { stdio: 'pipe' });
}
