export interface Command {
  file: string;
  args: string[];
  cwd: string;
  /** The whole environment; nothing of ours is added. */
  env: Record<string, string>;
  /** Runs as this numeric user and group, where we may. */
  user?: { uid: number; gid: number };
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
  exec(command: Command, options: ExecOptions): Promise<Exit>;
}
