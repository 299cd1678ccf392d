import { ApiError, type Schemas, serverEvents } from '@mooring/client';
import { Unreachable } from './errors.ts';
import { type Instance, sendRequest } from './instance.ts';
import { RetryBackoff } from './retry.ts';

export type StreamEvent = { seq: number; at: string; type: string };
export type OnContact = (state: 'lost' | 'back') => void;

// The service sends a heartbeat every 15 s; a connection that is silent for longer is dead.
const silenceMs = 45_000;

/** Yields every event of a stream once and in order, and resumes a broken stream. `path` is the one of its subject. */
export async function* eventsOf<T extends StreamEvent>(
  instance: Instance,
  path: `/api/${string}`,
  onContact: OnContact = () => {},
): AsyncGenerator<T> {
  const patience = new RetryBackoff();
  let last = 0;
  for (;;) {
    try {
      for await (const event of eventsAfter<T>(instance, path, last)) {
        if (!patience.isNew) onContact('back');
        patience.restore();
        if (event.seq <= last) continue;
        last = event.seq;
        yield event;
        if (event.type === 'end') return;
      }
      return;
    } catch (error) {
      if (patience.isNew) onContact('lost');
      await patience.wait(error);
    }
  }
}

/** Yields the events of one connection. Returns only if the stream is complete. */
async function* eventsAfter<T>(instance: Instance, path: string, since: number): AsyncGenerator<T> {
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(new Error('no data from the service')), silenceMs);
  try {
    const target = new URL(`${path}/stream?since=${since}`, instance.url);
    const response = await sendRequest(instance, target, { signal: silence.signal });
    if (response.status === 204) return;
    if (!response.ok || !response.body) throw await refusal(response);
    for await (const { type, data } of serverEvents(heard(response.body, timer))) yield { type, ...data } as T;
  } catch (error) {
    throw error instanceof Unreachable || error instanceof ApiError ? error : broken(instance, error as Error);
  } finally {
    clearTimeout(timer);
    silence.abort();
  }
  throw broken(instance, new Error('it ended early'));
}

const broken = ({ url }: Instance, { message }: Error) =>
  new Unreachable(`the stream of ${url} was cut off: ${message}`);

async function* heard(body: AsyncIterable<Uint8Array>, timer: NodeJS.Timeout): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    timer.refresh();
    yield chunk;
  }
}

async function refusal(response: Response): Promise<ApiError> {
  const body = (await response.json().catch(() => undefined)) as Schemas['Error'] | undefined;
  return new ApiError(response.status, body);
}
