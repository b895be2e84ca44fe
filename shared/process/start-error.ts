// A reason for not starting that whoever runs the program can mend.

/** The message is a sentence for people; it is shown without a stack. */
export class StartError extends Error {
  override readonly name = 'StartError';
  readonly reason = 'CANNOT_START';
}
