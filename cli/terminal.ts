// What commands need of the process that they run in.

export interface Terminal {
  /** Results: what a script would read. */
  out(text: string): void;
  /** Resolves when there is room for more results; undefined where there is now. What is printed without waits in memory. */
  room(): Promise<void> | undefined;
  /** What is told beside them, and errors. */
  err(text: string): void;
  /** Standard input, to its end. */
  readInput(): Promise<string>;
  now(): Date;
  /** What options are taken from that the command line has not. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Characters in a line where standard output is a terminal. */
  readonly columns: number | undefined;
  /** IANA name of the zone that times are shown in; undefined for that of the machine. */
  readonly timeZone: string | undefined;
  /** Calls back with the first signal to stop, which then does not end the process. */
  onStop(callback: () => void): void;
  /** Runs a service in this process, until it ends it. */
  runService(name: ServiceName, flags: readonly string[]): Promise<void>;
}

/** Services that the command runs. */
export const serviceNames = ['discovery', 'provisioner', 'mock-node'] as const;

export type ServiceName = (typeof serviceNames)[number];
