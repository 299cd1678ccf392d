import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import type { SshConnection, SshExit } from '../ssh/ssh.ts';
import type { Command, ExecOptions, Exit } from './host.ts';
import { killAfterMs, workVariable } from './local-command.ts';
import { type LaunchFailure, LauncherPreamble } from './preamble.ts';
import { endScript, launchScript, type RemoteLeader } from './remote-scripts.ts';

/** How long to read output after the command has exited; a leftover process may hold the pipe. */
const pipeGraceMs = 500;
/** Time to end processes beyond the grace period; less if the launcher never responded. */
const endingMs = { known: 20_000, unknown: 5_000 };
/** How long a command that is to be ended may take to report its pid. */
const introductionMs = 2_000;
/** How long an ended command may take to be reported. */
const reportMs = 5_000;

const reasons: Record<LaunchFailure, (command: Command) => string> = {
  cwd: ({ cwd }) => `${cwd}: does not exist, or Mooring may not enter it`,
  file: ({ file }) => `${file}: does not exist, or Mooring may not run it`,
  proc: () => 'commands are run on Linux only: there is no /proc on this machine',
};

/** Runs a command over a connection. When it settles, none of its processes is left, except after a lost connection
 * (`lost`); ending its work finds those later. */
export async function runRemote(connection: SshConnection, command: Command, options: ExecOptions): Promise<Exit> {
  const running = new RemoteCommand(connection, command);
  const { signal, deadlineMs } = options;
  let timedOut = false;
  const onAbort = () => running.end(killAfterMs);
  const deadline = setTimeout(() => {
    timedOut = true;
    running.end(killAfterMs);
  }, deadlineMs);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    const exit = await running.run(options, () => clearTimeout(deadline));
    return { ...exit, timedOut };
  } finally {
    clearTimeout(deadline);
    signal.removeEventListener('abort', onAbort);
  }
}

type Reader = Pick<ExecOptions, 'onOutput'>;

/** A running command on another server. */
class RemoteCommand {
  readonly #connection: SshConnection;
  readonly #command: Command;
  readonly #marker: string;
  readonly #nonce = randomBytes(8).toString('hex');
  readonly #stopped = new AbortController();
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #preamble: LauncherPreamble;
  #pass: (stream: 'stdout' | 'stderr', chunk: Buffer) => void = () => {};
  #failure: unknown;
  #ending: Promise<unknown> | undefined;

  constructor(connection: SshConnection, command: Command) {
    this.#connection = connection;
    this.#command = command;
    this.#marker = `${workVariable}=${command.work}/${randomBytes(8).toString('hex')}`;
    this.#preamble = new LauncherPreamble(this.#nonce, (chunk) => this.#pass('stderr', chunk));
  }

  async run(reader: Reader, onEnd: () => void): Promise<SshExit> {
    this.#pass = (stream, chunk) => this.#hand(reader, stream, chunk);
    try {
      const exit = await this.#connection.exec(['exec', 'env', '-i', this.#marker, 'sh', '-s'], {
        input: Readable.from([launchScript(this.#command, this.#nonce)]),
        signal: this.#stopped.signal,
        onOutput: (stream, chunk) => (stream === 'stderr' ? this.#preamble.push(chunk) : this.#pass(stream, chunk)),
        onExit: () => this.#after(pipeGraceMs, () => this.end(0)),
      });
      onEnd();
      this.#clearTimers();
      this.#preamble.flush();
      await this.#leaveNothing();
      return exit;
    } finally {
      this.#clearTimers();
      this.#preamble.known.resolve();
    }
  }

  /** Sends SIGTERM to all its processes, and SIGKILL after the grace period. */
  end(graceMs: number): void {
    if (this.#ending) return;
    this.#after(introductionMs, () => this.#preamble.known.resolve());
    this.#ending = this.#preamble.known.promise.then(() => this.#end(graceMs));
    this.#ending.then(
      () =>
        this.#after(reportMs, () => this.#stopped.abort(new Error('the machine did not report how the command ended'))),
      (error: unknown) => this.#stopped.abort(error),
    );
  }

  async #leaveNothing(): Promise<void> {
    const { leader, notBegun } = this.#preamble;
    if (!leader && !this.#ending) throw new Error('the machine accepts the sign-in but runs no commands');
    await (this.#ending ?? this.#end(0));
    if (this.#failure) throw this.#failure as Error;
    if (notBegun) throw new Error(reasons[notBegun](this.#command));
  }

  #end(graceMs: number): Promise<number> {
    const { leader } = this.#preamble;
    const withinMs = leader ? endingMs.known : endingMs.unknown;
    return endRemote(this.#connection, this.#marker, graceMs, { leader, withinMs });
  }

  #hand(reader: Reader, stream: 'stdout' | 'stderr', chunk: Buffer): void {
    try {
      if (!this.#failure) reader.onOutput(stream, chunk);
    } catch (error) {
      this.#failure = error;
      this.end(killAfterMs);
    }
  }

  #after(ms: number, act: () => void): void {
    this.#timers.push(setTimeout(act, ms));
  }

  #clearTimers(): void {
    for (const timer of this.#timers.splice(0)) clearTimeout(timer);
  }
}

/** Ends processes with the marker, the leader's processes, and their descendants. Returns their number. */
export async function endRemote(
  connection: SshConnection,
  marker: string,
  graceMs: number,
  { leader, withinMs = endingMs.known }: { leader?: RemoteLeader | undefined; withinMs?: number } = {},
): Promise<number> {
  const said = { stdout: '', stderr: '' };
  const { code } = await connection.exec(['exec', 'env', '-i', 'sh', '-s'], {
    input: Readable.from([endScript(marker, leader, graceMs)]),
    signal: AbortSignal.timeout(graceMs + withinMs),
    onOutput: (stream, chunk) => (said[stream] += chunk.toString().slice(0, 1000)),
  });
  if (code !== 0)
    throw new Error(`the processes started there cannot be ended: ${said.stderr.trim() || `exit ${code}`}`);
  return Number(said.stdout);
}
