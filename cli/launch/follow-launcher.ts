// Loaded into a service before its own code: when the launcher is gone, whatever became of it, the pipe to
// standard input closes, and the service is told to stop. Nobody's service outlives a launcher that was killed.

process.stdin.once('close', () => process.kill(process.pid, 'SIGTERM'));
process.stdin.on('error', () => {});
process.stdin.resume();
process.stdin.unref();
