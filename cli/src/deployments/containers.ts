import { ApiError, type Client, keepsCrashing, unwrap } from '@mooring/client';

export type Container = Awaited<ReturnType<typeof containersOf>>[number];

/** The containers or processes of a deployment, or of one of its services. */
export async function containersOf(client: Client, id: string, service?: string) {
  const query = service === undefined ? {} : { service };
  const { data } = await unwrap(client.GET('/api/deployments/{id}/info', { params: { path: { id }, query } }));
  return data.containers;
}

/** Which services of a release keep crashing, or why nobody knows; undefined if none does. */
export async function crashText(client: Client, id: string): Promise<string | undefined> {
  try {
    const crashing = (await containersOf(client, id)).filter((each) => keepsCrashing(each));
    const each = crashing.map(({ service, restarts }) => `${service} keeps crashing (${restarts} restarts)`);
    return crashing.length ? `${each.join(', ')}; see: mooring logs ${id}` : undefined;
  } catch (error) {
    // Its server may be away.
    if (error instanceof ApiError) return `whether it runs is unknown: ${error.message}`;
    throw error;
  }
}
