import type { ServerHttp2Session } from 'node:http2';

const idleMs = 65_000;
/** Long enough that the next request of somebody who clicks through is not on its way. */
const quietMs = 200;

/** Connections of HTTP/2: none is kept that nothing is asked on, however much else comes over it. */
export class Http2Sessions {
  readonly #firstMs: number;
  readonly #all = new Map<ServerHttp2Session, () => void>();
  #leaving = false;

  /** `firstMs`: until when something must have been asked. */
  constructor(firstMs: number) {
    this.#firstMs = firstMs;
  }

  add(session: ServerHttp2Session): void {
    let open = 0;
    let timer: NodeJS.Timeout | undefined;
    // The goodbye says what was answered: a request that comes too late for it is safely asked again elsewhere.
    const closeAfter = (ms: number) => {
      clearTimeout(timer);
      if (!open && !session.closed) timer = setTimeout(() => session.close(), ms);
    };
    const rest = () => closeAfter(this.#leaving ? quietMs : idleMs);
    closeAfter(this.#firstMs);
    this.#all.set(session, rest);
    session.on('stream', (stream) => {
      open++;
      clearTimeout(timer);
      stream.once('close', () => {
        open--;
        rest();
      });
    });
    session.once('close', () => {
      clearTimeout(timer);
      this.#all.delete(session);
    });
  }

  /** Says goodbye to each when it is quiet, and to those that never are when the time is over. */
  leave(withinMs: number): void {
    this.#leaving = true;
    for (const rest of this.#all.values()) rest();
    setTimeout(() => {
      for (const session of this.#all.keys()) session.close();
    }, withinMs).unref();
  }
}
