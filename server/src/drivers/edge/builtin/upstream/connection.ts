import { connect, type Socket, type TcpNetConnectOpts } from 'node:net';
import type { AttemptFailure, FailureCause } from '../retries.ts';
import { lookup } from './lookup.ts';
import { BadResponseError, type ResponseHead } from './response-head.ts';
import { ResponseParser } from './response-parser.ts';

/** All connections read into this buffer, one at a time, so that reading allocates nothing. */
const shared = Buffer.allocUnsafeSlow(65_536);

/** The request that uses a connection. */
export interface ConnectionUser {
  /** Whether the whole request was sent. */
  isSent: boolean;
  /** The request can be sent now. */
  onReady(): void;
  onDrain(): void;
  onContinue(): void;
  /** Part of the response: its head is known, and `buffer` has a part of the body, during this call only. */
  onResponse(response: ResponseParser, buffer: Buffer): void;
  onUpgrade(head: ResponseHead, socket: Socket, first: Buffer): void;
  /** The connection closed before the response was complete. */
  onFailure(failure: AttemptFailure): void;
  /** One of these calls threw. */
  onError(error: unknown): void;
}

export type UpstreamAddress = { host: string; port: number; socketPath?: string | undefined };

/** Told when a connection can serve another request, and when it is closed. */
export interface ConnectionOwner {
  onFree(connection: Connection, idleSeconds: number): void;
  onClosed(connection: Connection): void;
  /** The app's system has sent something. */
  onHeard(connection: Connection): void;
}

const noBytes = Buffer.alloc(0);

/** A connection to an app. It serves one request at a time. */
export class Connection {
  user: ConnectionUser | null = null;
  isConnected = false;
  isClosed = false;
  /** `performance.now()` of the last activity of a request, which no step of the clock changes. */
  activeAt = performance.now();
  /** `Date.now()` after the last response, and how long the connection may be idle. */
  freeAt = 0;
  idleMs = 0;
  /** For requests that may be retried, or for all others. */
  readonly repeatable: boolean;
  #socket: Socket | null = null;
  #isReused = false;
  #isUpgradable = false;
  readonly #parser = new ResponseParser();
  readonly #owner: ConnectionOwner;

  constructor(owner: ConnectionOwner, repeatable: boolean) {
    this.#owner = owner;
    this.repeatable = repeatable;
  }

  /** Not known before the connection is ready. */
  get socket(): Socket {
    return this.#socket!;
  }

  get isAnswered(): boolean {
    return this.#parser.head !== null;
  }

  /** `isSame` is called once the connection is established. `streams`: the socket can be upgraded. */
  open({ host, port, socketPath }: UpstreamAddress, isSame: (() => boolean) | null, streams: boolean): void {
    if (this.isClosed) return;
    this.#isUpgradable = streams;
    const onread = { buffer: shared, callback: (size: number, buffer: Buffer) => this.#read(buffer, size) };
    const socket = connect({
      ...(socketPath ? { path: socketPath } : { host, port, lookup, noDelay: true }),
      keepAlive: true,
      keepAliveInitialDelay: 60_000,
      ...(streams ? null : { onread }),
    } as TcpNetConnectOpts);
    this.#socket = socket;
    if (streams) socket.on('data', this.#onData);
    socket.once('connect', () => {
      if (isSame && !isSame()) return this.close();
      this.isConnected = true;
      this.#guarded((user) => user.onReady());
    });
    socket.on('drain', () => this.#guarded((user) => user.onDrain()));
    socket.once('end', () => this.#end());
    // 'close' comes a little later; until then the pool would hand out the dead connection.
    socket.on('error', () => this.close());
    socket.once('close', () => this.close());
  }

  use(user: ConnectionUser, method: string): void {
    this.user = user;
    this.activeAt = performance.now();
    this.#parser.begin(method);
    if (this.isConnected) user.onReady();
  }

  /** Closes the connection; a request that still uses it has failed. */
  close(cause: FailureCause | null = null): void {
    if (this.isClosed) return;
    this.#leave();
    this.#socket?.destroy();
    const { user, isConnected: connected } = this;
    this.user = null;
    user?.onFailure({ connected, reused: this.#isReused, cause });
  }

  /** Closes the connection for a user that does not want to hear of it. */
  abandon(user: ConnectionUser): void {
    if (this.user !== user) return;
    this.user = null;
    this.close();
  }

  #leave(): void {
    this.isClosed = true;
    this.#owner.onClosed(this);
  }

  readonly #onData = (chunk: Buffer) => void this.#read(chunk, chunk.length);
  readonly #onInformation = (status: number): void => {
    if (status === 100) this.user?.onContinue();
  };

  #read(buffer: Buffer, size: number): true {
    const { user } = this;
    const parser = this.#parser;
    this.#owner.onHeard(this);
    // A byte that nobody asked for could be taken for the response to the next request.
    if (!user) {
      this.close();
      return true;
    }
    try {
      parser.read(buffer, size, this.#onInformation);
      const { head } = parser;
      if (!head) this.activeAt = performance.now();
      else if (parser.upgradedAt >= 0) this.#upgrade(head, buffer.subarray(parser.upgradedAt, size));
      else this.#pass(user, head, buffer);
    } catch (error) {
      this.#failed(user, error);
    }
    return true;
  }

  #pass(user: ConnectionUser, head: ResponseHead, buffer: Buffer): void {
    const parser = this.#parser;
    user.onResponse(parser, buffer);
    if (!parser.isOver || this.user !== user) return;
    this.user = null;
    if (!head.keepsAlive || parser.hasExtra || !user.isSent || this.#isUpgradable) return this.close();
    this.#isReused = true;
    this.freeAt = Date.now();
    this.#owner.onFree(this, head.idleSeconds);
  }

  #upgrade(head: ResponseHead, first: Buffer): void {
    const socket = this.#socket!;
    // Not upgradable: nobody asked for another protocol.
    if (!this.#isUpgradable) return this.close();
    const user = this.user!;
    this.user = null;
    socket.off('data', this.#onData).pause();
    this.#leave();
    user.onUpgrade(head, socket, first);
  }

  /** The app closes the connection, which ends a response without a length. */
  #end(): void {
    if (this.#parser.head && !this.#parser.isOver && this.#parser.end())
      this.#guarded((user) => this.#pass(user, this.#parser.head!, noBytes));
    this.close();
  }

  #guarded(call: (user: ConnectionUser) => void): void {
    const { user } = this;
    this.#owner.onHeard(this);
    if (!user) return;
    try {
      call(user);
    } catch (error) {
      this.#failed(user, error);
    }
  }

  #failed(user: ConnectionUser, error: unknown): void {
    if (error instanceof BadResponseError) return this.close();
    this.abandon(user);
    user.onError(error);
  }
}
