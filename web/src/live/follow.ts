import { ApiError, type Schemas, type ServerEvent, serverEvents } from '@mooring/client';
import { chosenOrganization } from '../organization-choice.ts';
import { sessionProof } from '../session-proof.ts';

// The service sends a comment every 15 s, so a stream that stays silent for longer is dead.
const silentMs = 40_000;
const firstWaitMs = 500;
const longestWaitMs = 5000;

type Options = {
  signal: AbortSignal;
  onEvent: (event: ServerEvent) => void;
  /** Called when the stream opens and when it breaks; a broken stream is reopened. */
  onOpen: (isOpen: boolean) => void;
  /** Stops for good once it returns true. */
  isOver?: () => boolean;
};

/** Follows a stream of server-sent events and resumes it after the last received event whenever it breaks.
 * `EventSource` is no option: it cannot send the header that the session requires. Rejects when the service refuses
 * the stream. */
export async function follow(path: string, { signal, onEvent, onOpen, isOver = () => false }: Options): Promise<void> {
  let lastId: number | undefined;
  let waitMs = firstWaitMs;
  while (!signal.aborted && !isOver()) {
    const dead = new AbortController();
    let askedMs = 0;
    const hangUp = AbortSignal.any([signal, dead.signal]);
    try {
      const response = await fetch(path, { headers: headersFrom(lastId), signal: hangUp });
      if (!response.ok && response.status < 500 && response.status !== 429) throw await refusal(response);
      // 204: the stream is complete.
      if (response.status === 204) return;
      if (response.status === 429) askedMs = 1000 * (Number(response.headers.get('retry-after')) || 0);
      if (!response.ok || !response.body) throw new TypeError(`the stream answered ${response.status}`);
      onOpen(true);
      for await (const event of serverEvents(chunksOf(response.body, dead))) {
        if (Number.isFinite(event.id)) lastId = event.id;
        waitMs = firstWaitMs;
        handle(event, onEvent);
      }
    } catch (error) {
      if (signal.aborted) return;
      onOpen(false);
      if (error instanceof ApiError) throw error;
    }
    if (signal.aborted || isOver()) return;
    onOpen(false);
    await new Promise((resolve) => setTimeout(resolve, Math.max(waitMs * (0.5 + Math.random() / 2), askedMs)));
    waitMs = Math.min(waitMs * 2, longestWaitMs);
  }
}

/** An error of the handler is one of the page, not of the connection. */
function handle(event: ServerEvent, onEvent: Options['onEvent']): void {
  try {
    onEvent(event);
  } catch (error) {
    reportError(error);
  }
}

function headersFrom(lastId: number | undefined): Record<string, string> {
  const [organization, proof] = [chosenOrganization(), sessionProof()];
  return {
    accept: 'text/event-stream',
    ...(organization && { 'x-organization-id': organization }),
    ...(proof && { 'x-session-proof': proof }),
    ...(lastId !== undefined && { 'last-event-id': String(lastId) }),
  };
}

async function refusal(response: Response): Promise<ApiError> {
  const body: unknown = await response.json().catch(() => undefined);
  return new ApiError(response.status, body as Partial<Schemas['Error']> | undefined);
}

// Yields to the page between pieces, because a long log arrives faster than it renders.
const pieceBytes = 32 * 1024;
const busyMs = 8;

/** Timers are throttled to one per second in background tabs. */
const nextTask = (): Promise<void> =>
  new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.addEventListener('message', () => {
      port1.close();
      resolve();
    });
    port1.start();
    port2.postMessage(null);
  });

/** Not every browser supports async iteration of a body. */
async function* chunksOf(body: ReadableStream<Uint8Array>, dead: AbortController): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let began = performance.now();
  const listen = () => {
    clearTimeout(timer);
    timer = setTimeout(() => dead.abort(), silentMs);
  };
  try {
    for (;;) {
      listen();
      const { value, done } = await reader.read();
      if (done) return;
      for (let from = 0; from < value.length; from += pieceBytes) {
        yield value.subarray(from, from + pieceBytes);
        if (performance.now() - began < busyMs) continue;
        await nextTask();
        began = performance.now();
      }
    }
  } finally {
    clearTimeout(timer);
    void reader.cancel().catch(() => undefined);
  }
}
