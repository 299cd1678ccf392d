import type { Sandbox } from './sandbox.ts';

export interface Command {
  /** The piece of work that it is part of, as a path: `dep_1/build`. Everything that it starts carries the name. */
  work: string;
  file: string;
  args: string[];
  cwd: string;
  /** The whole environment; nothing of ours is added but the name of the work. */
  env: Record<string, string>;
  /** Left out, it runs as the service does. */
  sandbox?: Sandbox;
}

export interface ExecOptions {
  onOutput(stream: 'stdout' | 'stderr', chunk: Buffer): void;
  /** Ends the command and everything that it started. */
  signal: AbortSignal;
  deadlineMs: number;
}

export type Exit = { code: number | null; signal: string | null; timedOut: boolean };

/** A way to reach a machine. Arguments are an array, always. */
export interface Host {
  readonly kind: string;
  /** Runs a command. When it is settled, nothing that the command started runs any more. */
  exec(command: Command, options: ExecOptions): Promise<Exit>;
  /** Ends whatever runs of a piece of work and of the pieces below it, also what a service before this one left behind.
   * Gives how many processes there were. */
  endWork(work: string): Promise<number>;
}
