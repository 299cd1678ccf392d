import { randomUUID } from 'node:crypto';
import type { Client } from 'pg';

/** The triggers notify it. */
export const accessChannel = 'mooring_access';
const renewMs = 200;
/** How long a replica that is cut off from the notifications goes on with what it knows. */
const trustMs = 500;
const deadlineMs = 5000;

type Options = {
  connect: () => Promise<Client>;
  /** Sends a notification over another connection, the way changes are notified. */
  notify: (payload: string) => Promise<unknown>;
  warn: (message: string) => void;
};

type Beat = { payload: string; sentAt: number; arrived: () => void };

/**
 * Follows changes of access tables by every replica. Triggers notify them in the order of their commits, so a beat of
 * our own that arrives proves that everything committed before it has arrived too. Without a recent beat the version
 * is unknown: the connection may hang, or a pooler in between may drop notifications.
 */
export class AccessNotifications {
  readonly #options: Options;
  readonly #name = randomUUID();
  #client: Promise<Client> | undefined;
  #version = 0;
  #provenAt = -Infinity;
  #beat: Beat | undefined;
  #beats = 0;
  #beating = false;
  #isDown = false;
  #isClosed = false;

  constructor(options: Options) {
    this.#options = options;
  }

  /** See `AccessVersion`. Beats only while somebody asks. */
  version(): number | undefined {
    const age = performance.now() - this.#provenAt;
    if (age > renewMs && !this.#beating && !this.#isClosed) void this.#prove();
    return age <= trustMs ? this.#version : undefined;
  }

  /** A change of this process counts at once, before its notification arrives. */
  changed(): void {
    this.#version++;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#drop();
  }

  async #prove(): Promise<void> {
    this.#beating = true;
    try {
      await (this.#client ??= this.#listen());
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const timer = setTimeout(() => reject(new Error(`none arrived within ${deadlineMs / 1000} s`)), deadlineMs);
      this.#beat = { payload: `beat ${this.#name} ${++this.#beats}`, sentAt: performance.now(), arrived: resolve };
      await Promise.all([this.#options.notify(this.#beat.payload), promise]).finally(() => clearTimeout(timer));
      this.#isDown = false;
    } catch (error) {
      await this.#fail(error as Error);
    } finally {
      this.#beating = false;
    }
  }

  async #listen(): Promise<Client> {
    const client = await this.#options.connect();
    const lost = () => {
      if (!this.#isClosed) void this.#drop();
    };
    client.on('error', lost).on('end', lost);
    client.on('notification', ({ payload = '' }) => this.#receive(payload));
    await client.query(`listen ${accessChannel}`);
    // Changes may have been missed before.
    this.changed();
    return client;
  }

  #receive(payload: string): void {
    if (!payload.startsWith('beat ')) return this.changed();
    if (payload !== this.#beat?.payload) return undefined;
    this.#provenAt = this.#beat.sentAt;
    this.#beat.arrived();
  }

  /** Requests are authenticated with a query until notifications arrive again. */
  async #fail(error: Error): Promise<void> {
    await this.#drop();
    if (this.#isClosed) return;
    if (!this.#isDown)
      this.#options.warn(`no notifications of access changes: ${error.message}; each request reads the database`);
    this.#isDown = true;
    await new Promise((resolve) => setTimeout(resolve, 1000).unref());
  }

  async #drop(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    this.#provenAt = -Infinity;
    await client?.then((each) => each.end()).catch(() => {});
  }
}
