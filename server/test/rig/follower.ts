import { setTimeout as sleep } from 'node:timers/promises';
import { ownerToken } from './app.ts';
import type { Event } from './deploy.ts';

export interface Follower {
  /** All events in the order of arrival, including duplicates. */
  seen: Event[];
  connections: number;
  /** Resolves once the stream is complete. */
  ended: Promise<Event[]>;
  stop(): void;
}

/** Follows a deployment like a browser: reconnects with the last event id. */
export function follow(url: string, id: string): Follower {
  const stopping = new AbortController();
  const follower: Follower = { seen: [], connections: 0, ended: Promise.resolve([]), stop: () => stopping.abort() };
  const once = async () => {
    const since = follower.seen.at(-1)?.id ?? 0;
    const response = await fetch(`${url}/api/deployments/${id}/stream?since=${since}`, {
      headers: { authorization: `Bearer ${ownerToken}` },
      signal: stopping.signal,
    });
    if (response.status === 204) return true;
    if (!response.ok) throw new Error(`${response.status}`);
    follower.connections++;
    for await (const event of eventsOf(response.body!)) {
      follower.seen.push(event);
      if (event.event === 'end') return true;
    }
    return false;
  };
  follower.ended = (async () => {
    while (!stopping.signal.aborted) {
      // The service is expected to be unavailable at times.
      if (await once().catch(() => false)) break;
      await sleep(20);
    }
    return follower.seen;
  })();
  return follower;
}

/** Only complete events count, as in a browser: a truncated one is sent again. */
async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Event> {
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true });
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const block = text.slice(0, end);
      text = text.slice(end + 2);
      if (!block.startsWith('id:')) continue;
      const [seq = '', event = '', data = ''] = block.split('\n').map((line) => line.slice(line.indexOf(': ') + 2));
      yield { id: Number(seq), event, data: JSON.parse(data) as Record<string, unknown> };
    }
  }
}
