import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Command, ExecOptions } from './host.ts';
import { endTree, type Tree } from './process-tree.ts';
import { identifyChild } from './processes.ts';
import { exitOf, spawnProgram } from './sandbox.ts';

/** How long a command that is asked to end may take. */
export const killAfterMs = 3_000;
/** How long output may still come after the command itself has ended; something that it left behind holds the pipe. */
const pipeGraceMs = 500;

export const workVariable = 'MOORING_WORK';
/** How the variable begins in everything that works on `work` or on a part of it. */
export const workMarker = (work: string): string => `${workVariable}=${work}/`;

/** One command of this machine, as it runs. It leads a session of its own; what leaves that is known by the variable,
 * which is another one for each command: an end of this one is no end of its successor's. */
export class LocalCommand {
  readonly #child: ChildProcess;
  readonly #tree: Tree;
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

  /** Of the command itself. Rejected when it cannot be started, and when it cannot be ended. */
  get exit(): Promise<{ code: number | null; signal: string | null }> {
    return this.#exit.promise;
  }

  read(onOutput: ExecOptions['onOutput']): void {
    for (const stream of ['stdout', 'stderr'] as const)
      this.#child[stream]!.on('data', (chunk: Buffer) => onOutput(stream, chunk));
  }

  /** Asks everything of it to end, and ends what does not listen. */
  end = (): void => {
    this.#ending ??= endTree(this.#tree, killAfterMs);
    this.#ending.catch((error: unknown) => this.#exit.reject(error));
  };

  /** After its exit: takes the last of the output and ends what is left. */
  async leaveNothing(): Promise<void> {
    // Whoever was asked to end may have something to say.
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
