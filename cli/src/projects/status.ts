import { ApiError, type Client } from '@mooring/client';
import { type Deployment, deploymentsOf, production, type Project } from '../deployments/find.ts';

/**
 * Whether a release serves, and the status of the last deployment if that is not the release. A failed deployment
 * changes nothing for visitors.
 */
export function statusText(latest: Deployment | undefined, isServing: boolean): string {
  if (!latest) return 'not deployed';
  if (isServing) return latest.status === 'ready' ? 'serving' : `serving, last deployment ${latest.status}`;
  return latest.status === 'ready' ? 'not serving' : latest.status;
}

/** Returns the status of any project in production; undefined if the caller may not list deployments. */
export async function projectStatuses(client: Client): Promise<((project: Project) => string) | undefined> {
  const all = (filter: Parameters<typeof deploymentsOf>[3]) =>
    deploymentsOf(client, undefined, Infinity, { environment: production, ...filter });
  try {
    const [latest, active] = await Promise.all([all({ latest: 'true' }), all({ active: 'true' })]);
    // A project that was promoted to the cloud has a last deployment here and one there; newest first.
    const byProject = new Map(latest.toReversed().map((each) => [each.projectId, each]));
    const serving = new Set(active.map(({ projectId }) => projectId));
    return ({ id }) => statusText(byProject.get(id), serving.has(id));
  } catch (error) {
    if (error instanceof ApiError && error.status === 403) return undefined;
    throw error;
  }
}
