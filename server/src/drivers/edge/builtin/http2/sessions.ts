import type { ServerHttp2Session } from 'node:http2';

const idleMs = 65_000;
/** Long enough for a follow-up request of the same page view to arrive. */
const quietMs = 200;

/** HTTP/2 connections. Closes those without requests, no matter how many other frames they send. */
export class Http2Sessions {
  readonly #firstMs: number;
  readonly #all = new Map<ServerHttp2Session, () => void>();
  /** When the edge is leaving: how long busy connections stay open. */
  #leaveMs: number | null = null;

  /** `firstMs`: timeout for the first request. */
  constructor(firstMs: number) {
    this.#firstMs = firstMs;
  }

  add(session: ServerHttp2Session): void {
    let open = 0;
    let timer: NodeJS.Timeout | undefined;
    // GOAWAY names the last stream processed, so a client can safely retry a later request elsewhere.
    const closeAfter = (ms: number) => {
      clearTimeout(timer);
      if (!open && !session.closed) timer = setTimeout(() => session.close(), ms);
    };
    const rest = () => closeAfter(this.#leaveMs === null ? idleMs : quietMs);
    closeAfter(this.#firstMs);
    this.#all.set(session, rest);
    // Its handshake began before.
    if (this.#leaveMs !== null) setTimeout(() => session.close(), this.#leaveMs).unref();
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

  /** Closes each connection when it is quiet, and the busy ones after `withinMs`. */
  leave(withinMs: number): void {
    this.#leaveMs = withinMs;
    for (const rest of this.#all.values()) rest();
    setTimeout(() => {
      for (const session of this.#all.keys()) session.close();
    }, withinMs).unref();
  }
}
