import { ApiError, type Schemas, serverEvents } from '@mooring/client';
import { Unreachable } from '../errors.ts';
import { type Instance, send } from '../instance.ts';
import { Patience } from '../patience.ts';

type At = { seq: number; at: string };
export type DeploymentEvent = At &
  (
    | { type: 'log'; line: string; level: string; step: string | null; stream: string; service: string | null }
    | { type: 'step'; name: string; status: string; attempt?: number }
    | { type: 'status'; status: string; decision?: string }
    | {
        type: 'prompt';
        id: string;
        question: string;
        options: string[];
        byDefault?: string;
        expiresAt: number | string;
      }
    | { type: 'service'; name: string; status: string; error: string | null }
    | { type: 'end'; status: string }
  );

// The service sends a heartbeat every 15 s; a connection that is silent for longer is dead.
const silenceMs = 45_000;

/** Yields every event of a deployment once and in order, and resumes a broken stream. */
export async function* deploymentEvents(
  instance: Instance,
  id: string,
  onContact: (state: 'lost' | 'back') => void = () => {},
): AsyncGenerator<DeploymentEvent> {
  const patience = new Patience();
  let last = 0;
  for (;;) {
    try {
      for await (const event of eventsAfter(instance, id, last)) {
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
async function* eventsAfter(instance: Instance, id: string, since: number): AsyncGenerator<DeploymentEvent> {
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(new Error('no data from the service')), silenceMs);
  try {
    const target = new URL(`/api/deployments/${encodeURIComponent(id)}/stream?since=${since}`, instance.url);
    const response = await send(instance, target, { signal: silence.signal });
    if (response.status === 204) return;
    if (!response.ok || !response.body) throw await refusal(response);
    for await (const { type, data } of serverEvents(heard(response.body, timer)))
      yield { type, ...data } as DeploymentEvent;
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
