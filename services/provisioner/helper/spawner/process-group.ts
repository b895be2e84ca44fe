// Ends a helper with everything that it started.

/**
 * Kills a process group at once. A group that is gone, or that belongs to another user, is left alone.
 *
 * @param leaderIsGone whether the leader is known to have been reaped: a process that has its id now is
 * another one, so the group is gone too and its number was given to somebody else
 */
export function killGroup(leader: number, leaderIsGone: boolean): void {
  if (leaderIsGone && exists(leader)) return;
  try {
    process.kill(-leader, 'SIGKILL');
  } catch {
    // ESRCH: nobody is left. EPERM: the helper changed its user; its pipes are closed all the same.
  }
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
