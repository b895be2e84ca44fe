// Says in plain words why a call did not get through, for logs: grpc-js's sentences about connections hide what the
// system or the other side said, and do not tell what to look at. What a failed call tells programs is errors.ts's.

/**
 * @param message of a call that failed, as this side or the other put it
 * @returns what is in it for people: the cause alone, with what to look at where the cause does not tell
 */
export function plainFailure(message: string): string {
  const cause = /Last error: (?:Error: )?(.+?)\. Resolution note:/s.exec(message)?.[1] ?? message;
  // All that grpc-js tells of a connection in plain text that ended before it was one.
  if (/^Failed to connect \(/.test(cause)) {
    return 'the other side hung up before it said anything; does it speak TLS? Compare tls.mode on both sides';
  }
  if (cause.startsWith('The server does not implement the method ')) {
    return `${cause}: what answers there is another service, or another of its listeners; look at the port`;
  }
  return lateness(cause) ?? cause;
}

/** How a call came to its deadline: grpc-js counts what each of its parts took. */
function lateness(cause: string): string | undefined {
  if (cause === 'Deadline exceeded') return 'no answer in time';
  const [, seconds, course = ''] = /^Deadline exceeded after ([\d.]+)s(,.*)?$/.exec(cause) ?? [];
  if (seconds === undefined) return undefined;
  const within = `within ${Number(Number(seconds).toFixed(1))} s`;
  if (course.endsWith('waiting for name resolution')) return `its name was not resolved ${within}`;
  return course.endsWith('Waiting for LB pick') ? `no connection ${within}` : `no answer ${within}`;
}
