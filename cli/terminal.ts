// What commands need of the process that they run in.

export interface Terminal {
  /** Results: what a script would read. */
  out(text: string): void;
  /** What is told beside them, and errors. */
  err(text: string): void;
  /** Standard input, to its end. */
  readInput(): Promise<string>;
  now(): Date;
}
