import { type Client, type Schemas, unwrap } from '@mooring/client';
import type { Project } from '../deployments/find.ts';

export type Volume = Schemas['Volume'];

/** The volumes of a project; `orphans`: data that no release mounts any more. */
export async function volumesOf(client: Client, { id }: Pick<Project, 'id'>, orphans = false): Promise<Volume[]> {
  const query = orphans ? { orphans: 'true' } : {};
  return (await unwrap(client.GET('/api/projects/{id}/volumes', { params: { path: { id }, query } }))).data;
}

/** Where the data of a volume stays when its project is deleted: in the container engine, or in the data folder. */
export function placeOf(
  { id, environment, name, sizeBytes, deleting }: Volume,
  project: Pick<Project, 'id'>,
): string | undefined {
  if (deleting) return undefined;
  if (id !== null) return `Docker volume ${id}`;
  return sizeBytes === null ? undefined : `volumes/${project.id}/${environment}/${name}`;
}
