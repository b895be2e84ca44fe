// Time as an argument: domain code takes a Clock, so that tests can run hours in milliseconds.

/** A timer that can be taken back. */
export interface Timer {
  cancel(): void;
}

export interface Clock {
  /** Wall-clock time, Unix milliseconds. It may jump. */
  now(): number;
  /** Milliseconds since some moment. Never goes back; for ages and timeouts. */
  monotonic(): number;
  /** Calls back once after `ms` milliseconds. The timer does not keep the process alive. */
  setTimer(ms: number, callback: () => void): Timer;
}

const longestTimerMs = 2 ** 31 - 1;

/** The machine's own clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimer: (ms, callback) => {
    const handle = setTimeout(callback, Math.min(Math.max(ms, 0), longestTimerMs));
    handle.unref();
    return { cancel: () => clearTimeout(handle) };
  },
};

/**
 * Resolves after `ms` milliseconds.
 *
 * @throws the signal's reason as soon as it is aborted
 */
export function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const onAbort = () => {
      timer.cancel();
      reject(signal?.reason);
    };
    const timer = clock.setTimer(ms, () => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    });
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
