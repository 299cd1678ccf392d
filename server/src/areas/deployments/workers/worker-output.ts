import type { OutputLine } from './wire.ts';

const flushMs = 250;
/** Many gather while the database is away. */
const mostLines = 1000;

/** Sends lines in batches, in order. */
export class WorkerOutput {
  readonly #send: (number: number, lines: OutputLine[]) => Promise<void>;
  readonly #timer: NodeJS.Timeout;
  readonly #lines: OutputLine[] = [];
  #number = 0;
  #sending: Promise<void> = Promise.resolve();

  constructor(send: (number: number, lines: OutputLine[]) => Promise<void>) {
    this.#send = send;
    // A failed batch is reported by `end`; the lease notices a database that stays away.
    this.#timer = setInterval(() => void this.#flush().catch(() => {}), flushMs);
  }

  add = (line: string, stream: OutputLine[1]): void => void this.#lines.push([line, stream]);

  async end(): Promise<void> {
    await this.#flush();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #flush(): Promise<void> {
    const next = async () => {
      while (this.#lines.length) {
        const lines = this.#lines.splice(0, mostLines);
        await this.#send(this.#number++, lines).catch((error: unknown) => {
          this.#lines.unshift(...lines);
          throw error;
        });
      }
    };
    this.#sending = this.#sending.then(next, next);
    return this.#sending;
  }
}
