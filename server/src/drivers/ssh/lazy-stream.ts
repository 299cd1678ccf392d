import { Duplex } from 'node:stream';

type Waiting = { chunk: Buffer; done: (error?: Error | null) => void };

/** A stream that exists before it is open: writes wait, and a failure to open becomes its error. For callers that
 * need a stream synchronously. */
export class LazyStream extends Duplex {
  #inner: Duplex | undefined;
  #waiting: Waiting | undefined;
  #hasAll = false;
  #isEnding: ((error?: Error | null) => void) | undefined;

  constructor(open: () => Promise<Duplex>) {
    super({ allowHalfOpen: true, autoDestroy: true });
    open().then(
      (inner) => this.#attach(inner),
      (error: Error) => this.destroy(error),
    );
  }

  #attach(inner: Duplex): void {
    if (this.destroyed) return void inner.on('error', () => {}).destroy();
    if (inner.destroyed) return void this.destroy();
    this.#inner = inner;
    inner.on('data', (chunk: Buffer) => this.push(chunk) || inner.pause());
    inner.once('end', () => {
      this.#hasAll = true;
      this.push(null);
    });
    inner.once('error', (error) => this.destroy(error));
    inner.once('close', () => this.#closed());
    const waiting = this.#waiting;
    if (waiting) inner.write(waiting.chunk, waiting.done);
    if (this.#isEnding) inner.end(this.#isEnding);
    this.emit('connect');
  }

  /** What has arrived is still read: a response may be complete before its reader has seen all of it. */
  #closed(): void {
    if (this.#hasAll && !this.readableEnded) this.once('end', () => this.destroy());
    else this.destroy();
  }

  override _read(): void {
    this.#inner?.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: Waiting['done']): void {
    if (this.#inner) this.#inner.write(chunk, done);
    else this.#waiting = { chunk, done };
  }

  override _final(done: (error?: Error | null) => void): void {
    if (this.#inner) this.#inner.end(done);
    else this.#isEnding = done;
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#inner?.destroy();
    done(error);
  }

  // Methods that node:http calls on sockets. The underlying connection handles keep-alive itself.
  setKeepAlive = (): this => this;
  setNoDelay = (): this => this;
  setTimeout = (): this => this;
  ref = (): this => this;
  unref = (): this => this;
}
