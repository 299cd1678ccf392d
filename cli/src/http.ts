import type { ClientRequest, IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';

// The part of `fetch` that the command line and `openapi-fetch` use. The build puts these names in place of the
// globals: loading Node's own `fetch` takes more CPU time than the rest of a command (docs/contributing/decisions.md).

// Same as Node's `fetch`.
const connectMs = 10_000;
const silenceMs = 300_000;
/** How long data that has arrived may stay unread after the process was stopped. */
const wakeMs = 1000;

type Body = string | Uint8Array | Blob | AsyncIterable<Uint8Array> | null | undefined;
type HeaderValues = Iterable<[string, string]> | Record<string, string>;
type Init = { method?: string; headers?: HeaderValues; body?: Body; signal?: AbortSignal };

export class Headers {
  readonly #values = new Map<string, string[]>();

  constructor(init: HeaderValues = {}) {
    for (const [name, value] of Symbol.iterator in init ? init : Object.entries(init)) this.append(name, value);
  }

  get = (name: string): string | null => this.#values.get(name.toLowerCase())?.join(', ') ?? null;
  getSetCookie = (): string[] => this.#values.get('set-cookie') ?? [];
  set = (name: string, value: string): void => void this.#values.set(name.toLowerCase(), [value]);
  delete = (name: string): void => void this.#values.delete(name.toLowerCase());

  append(name: string, value: string): void {
    this.#values.set(name.toLowerCase(), [...(this.#values.get(name.toLowerCase()) ?? []), value]);
  }

  *entries(): Generator<[string, string]> {
    for (const [name, values] of this.#values) yield [name, values.join(', ')];
  }

  [Symbol.iterator] = (): Generator<[string, string]> => this.entries();
}

export class Request {
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
  readonly body: Body;
  readonly signal: AbortSignal | undefined;

  constructor(input: string | URL | Request, init: Init = {}) {
    const from = input instanceof Request ? input : undefined;
    this.url = input instanceof Request ? input.url : input.toString();
    this.method = init.method ?? from?.method ?? 'GET';
    this.headers = new Headers(init.headers ?? from?.headers);
    this.body = init.body ?? from?.body;
    this.signal = init.signal ?? from?.signal;
  }
}

export class Response {
  readonly status: number;
  readonly ok: boolean;
  readonly headers = new Headers();
  readonly #message: IncomingMessage;

  /** A response that nobody reads does not keep the process alive. */
  constructor(message: IncomingMessage) {
    this.#message = message;
    message.socket.unref();
    this.status = message.statusCode!;
    this.ok = this.status >= 200 && this.status < 300;
    for (let i = 0; i < message.rawHeaders.length; i += 2)
      this.headers.append(message.rawHeaders[i]!, message.rawHeaders[i + 1]!);
  }

  get body(): Readable {
    this.#message.socket.ref();
    return this.#message;
  }

  text = (): Promise<string> => text(this.body);
  json = async (): Promise<unknown> => JSON.parse(await this.text());
}

/** Never made: `openapi-fetch` asks whether a body is one. */
export class FormData extends Map<string, string> {}

/** Does not follow redirects. */
export async function fetch(input: string | URL | Request, init?: Init): Promise<Response> {
  const { url, method, headers, body, signal } = new Request(input, init);
  signal?.throwIfAborted();
  const target = new URL(url);
  // An import of these would load Node's own `fetch`, because they export its WebSocket.
  const { request } = process.getBuiltinModule(target.protocol === 'https:' ? 'node:https' : 'node:http');
  const length = lengthOf(body);
  if (length !== undefined) headers.set('content-length', String(length));
  const asked = { accept: '*/*', 'accept-encoding': 'identity', ...Object.fromEntries(headers) };
  const sent = request(target, { method, headers: asked, timeout: connectMs });
  let message: IncomingMessage | undefined;
  const stop = (reason: Error) => (message ?? sent).destroy(reason);
  signal?.addEventListener('abort', () => stop(signal.reason as Error));
  sent.on('timeout', () => {
    const moved = () => (sent.socket?.bytesRead ?? 0) + (sent.socket?.bytesWritten ?? 0);
    const [before, isConnecting] = [moved(), sent.socket?.connecting !== false];
    const [what, seconds] = isConnecting ? ['connection', connectMs / 1000] : ['data', silenceMs / 1000];
    const stopIfSilent = () => {
      if (moved() === before && !message?.readableLength) stop(new Error(`no ${what} for ${seconds} s`));
    };
    setTimeout(stopIfSilent, isConnecting ? 0 : wakeMs);
  });
  sent.setTimeout(silenceMs);
  message = await new Promise<IncomingMessage>((resolve, reject) => {
    sent.once('response', resolve);
    // After the response, the body says what is wrong.
    sent.on('error', reject);
    send(body, sent, reject).catch(() => {});
  });
  // The service may refuse a body before it has read it.
  message.once('end', () => sent.writableFinished || sent.destroy());
  return new Response(message);
}

function lengthOf(body: Body): number | undefined {
  if (typeof body === 'string') return Buffer.byteLength(body);
  if (body instanceof Uint8Array) return body.length;
  return body instanceof Blob ? body.size : undefined;
}

async function send(body: Body, sent: ClientRequest, onUnreadable: (error: unknown) => void): Promise<void> {
  if (!body || typeof body === 'string' || body instanceof Uint8Array) return void sent.end(body ?? undefined);
  const chunks = body instanceof Blob ? Readable.fromWeb(body.stream() as never) : body;
  await pipeline(async function* () {
    try {
      yield* chunks;
    } catch (error) {
      onUnreadable(error);
      throw error;
    }
  }, sent);
}
