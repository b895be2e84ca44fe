// Tells a file that is not there from other errors of the file system.

/** @returns true where the error says that a file, or a folder on the way to it, does not exist */
export function isMissing(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false;
  return error.code === 'ENOENT' || error.code === 'ENOTDIR';
}
