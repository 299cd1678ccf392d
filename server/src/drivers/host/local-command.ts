import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Command, ExecOptions } from './host.ts';
import { endTree, type ProcessTree } from './process-tree.ts';
import { identifyChild } from './processes.ts';
import { exitOf, spawnProgram } from './sandbox.ts';

/** Grace period of a command. */
export const killAfterMs = 3_000;
/** How long to read output after the command has exited; a leftover process may hold the pipe. */
const pipeGraceMs = 500;

export const workVariable = 'MOORING_WORK';
/** Prefix of the variable for `work` and everything below it. */
export const workMarker = (work: string): string => `${workVariable}=${work}/`;

/** A running local command. It leads its own session; processes that leave it are found by the variable, which is
 * unique per command, so that ending this one does not end its successor. */
export class LocalCommand {
  readonly #child: ChildProcess;
  readonly #tree: ProcessTree;
  readonly #exit = Promise.withResolvers<{ code: number | null; signal: string | null }>();
  readonly #closed: Promise<void>;
  #ending: Promise<number> | undefined;

  constructor({ work, file, args, cwd, env, sandbox }: Command) {
    const part = `${work}/${randomBytes(8).toString('hex')}`;
    const child = spawnProgram({ file, args, cwd, env: { ...env, [workVariable]: part } }, sandbox);
    const leader = child.pid ? identifyChild(child.pid) : null;
    this.#child = child;
    this.#tree = { leader, marker: `${workVariable}=${part}`, since: leader?.startTime ?? '0' };
    this.#closed = new Promise((resolve) => child.once('close', () => resolve()));
    exitOf(child).then(this.#exit.resolve, (error: Error) =>
      this.#exit.reject(new Error(`${file}: ${error.message}`, { cause: error })),
    );
  }

  /** Exit of the command itself. Rejects when it cannot be started or ended. */
  get exit(): Promise<{ code: number | null; signal: string | null }> {
    return this.#exit.promise;
  }

  read(onOutput: ExecOptions['onOutput']): void {
    for (const stream of ['stdout', 'stderr'] as const)
      this.#child[stream]!.on('data', (chunk: Buffer) => onOutput(stream, chunk));
  }

  /** Sends SIGTERM to all its processes, and SIGKILL after the grace period. */
  end = (): void => {
    this.#ending ??= endTree(this.#tree, killAfterMs);
    this.#ending.catch((error: unknown) => this.#exit.reject(error));
  };

  /** After its exit: reads the rest of the output and ends leftover processes. */
  async leaveNothing(): Promise<void> {
    // A process that is ending may still print.
    await this.#ending;
    const over = new AbortController();
    await Promise.race([this.#closed, sleep(pipeGraceMs, undefined, { signal: over.signal }).catch(() => {})]);
    over.abort();
    this.closePipes();
    await (this.#ending ?? endTree(this.#tree, 0));
  }

  closePipes(): void {
    this.#child.stdout?.destroy();
    this.#child.stderr?.destroy();
  }
}
