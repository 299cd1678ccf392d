import type { RemoteLeader } from './remote-scripts.ts';

/** Why the command was not started: no such folder, no such program, or not Linux. */
export type LaunchFailure = 'cwd' | 'file' | 'proc';

const longest = 1000;

/** Strips the launcher's own lines from the start of stderr, independent of chunk boundaries. */
export class LauncherPreamble {
  readonly #nonce: string;
  readonly #pass: (chunk: Buffer) => void;
  #held = Buffer.alloc(0);
  #isOver = false;
  leader: RemoteLeader | undefined;
  notBegun: LaunchFailure | undefined;
  /** Resolves when the leader is known or never will be. */
  readonly known = Promise.withResolvers<void>();

  constructor(nonce: string, pass: (chunk: Buffer) => void) {
    this.#nonce = nonce;
    this.#pass = pass;
  }

  push(chunk: Buffer): void {
    if (this.#isOver) return this.#pass(chunk);
    this.#held = Buffer.concat([this.#held, chunk]);
    for (let end = this.#held.indexOf('\n'); end >= 0 && !this.#isOver; end = this.#held.indexOf('\n')) {
      if (!this.#take(this.#held.toString('latin1', 0, end))) break;
      this.#held = this.#held.subarray(end + 1);
    }
    if (this.#held.length > longest) this.#isOver = true;
    if (this.#isOver) this.flush();
  }

  /** The stream has ended, so what was held back is not ours. */
  flush(): void {
    this.#isOver = true;
    this.known.resolve();
    const rest = this.#held;
    this.#held = Buffer.alloc(0);
    if (rest.length) this.#pass(rest);
  }

  /** Returns false for a line that is not the launcher's: it never ran. */
  #take(line: string): boolean {
    const [nonce, word, pid, startTime] = line.split(' ');
    if (nonce !== this.#nonce) {
      this.#isOver = true;
      return false;
    }
    if (word === 'pid') {
      this.leader = { pid: pid!, startTime: startTime! };
      this.known.resolve();
    } else {
      this.#isOver = true;
      if (word !== 'go') this.notBegun = word as LaunchFailure;
    }
    return true;
  }
}
