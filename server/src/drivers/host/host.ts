import type { Sandbox } from './sandbox.ts';

export interface Command {
  /** The work it belongs to, as a path: `dep_1/build`. All its processes carry the name. */
  work: string;
  file: string;
  args: string[];
  cwd: string;
  /** The complete environment; only the name of the work is added. */
  env: Record<string, string>;
  /** Undefined: runs as the service does. */
  sandbox?: Sandbox;
}

export interface ExecOptions {
  onOutput(stream: 'stdout' | 'stderr', chunk: Buffer): void;
  /** Ends the command and all its processes. */
  signal: AbortSignal;
  deadlineMs: number;
}

export type Exit = { code: number | null; signal: string | null; timedOut: boolean };

/** A way to reach a machine. Arguments are always an array. */
export interface Host {
  readonly kind: string;
  /** Runs a command. When it settles, none of its processes is left. */
  exec(command: Command, options: ExecOptions): Promise<Exit>;
  /** Ends all processes of a piece of work and of the pieces below it, including those that an earlier service left
   * behind. Returns their number. */
  endWork(work: string): Promise<number>;
}
