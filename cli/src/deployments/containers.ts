import { ApiError, type Client, keepsCrashing, unwrap } from '@mooring/client';

export type Container = Awaited<ReturnType<typeof containersOf>>[number];

/** A container engine that hangs must not hold up a command that only mentions its containers. */
const patienceMs = 5000;

/** The containers or processes of a deployment, or of one of its services. */
export async function containersOf(client: Client, id: string, service?: string, signal?: AbortSignal) {
  const query = service === undefined ? {} : { service };
  const init = { params: { path: { id }, query }, ...(signal && { signal }) };
  return (await unwrap(client.GET('/api/deployments/{id}/info', init))).data.containers;
}

/** The services of a release that keep crashing, or why that is unknown. */
export async function troubleOf(client: Client, id: string): Promise<string | undefined> {
  const signal = AbortSignal.timeout(patienceMs);
  try {
    const crashing = (await containersOf(client, id, undefined, signal)).filter((each) => keepsCrashing(each));
    const restarts = new Map<string, number>();
    for (const each of crashing) restarts.set(each.service, (restarts.get(each.service) ?? 0) + each.restarts);
    const sentences = [...restarts].map(([service, count]) => `${service} keeps crashing (${count} restarts)`);
    return sentences.length ? `${sentences.join(', ')}; see: mooring logs ${id}` : undefined;
  } catch (error) {
    if (signal.aborted) return 'its machine does not answer';
    if (error instanceof ApiError) return error.message;
    throw error;
  }
}
