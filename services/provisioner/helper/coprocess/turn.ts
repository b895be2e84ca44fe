// A moment in which everything that is ready to be read is read.

/**
 * Resolves when what other processes had written before the call was read, and what has ended was noticed: the event
 * loop looks once at all that waits between the two.
 */
export function turn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(() => setImmediate(resolve));
  });
}
