import { type Schemas, unwrap } from '@mooring/client';
import { queryOptions } from '@tanstack/react-query';
import { client } from './api.ts';
import { saveFile } from './save-file.ts';

export type Volume = Schemas['Volume'];
export type VolumeEntry = Schemas['VolumeEntry'];

/** Identifies a volume: names repeat across environments. */
export type VolumeRef = { projectId: string; name: string; environment: string };

export const volumesQuery = (projectId: string) =>
  queryOptions({
    queryKey: ['project', projectId, 'volumes'],
    queryFn: async () =>
      (await unwrap(client.GET('/api/projects/{id}/volumes', { params: { path: { id: projectId } } }))).data,
  });

/** Data that no volume of the project mounts any more. */
export const orphansQuery = (projectId: string) =>
  queryOptions({
    queryKey: ['project', projectId, 'volumes', 'orphans'],
    queryFn: async () => {
      const params = { path: { id: projectId }, query: { orphans: 'true' } };
      return (await unwrap(client.GET('/api/projects/{id}/volumes', { params }))).data;
    },
  });

export const filesQuery = ({ projectId: id, name, environment }: VolumeRef, path: string) =>
  queryOptions({
    queryKey: ['project', id, 'files', environment, name, path],
    queryFn: () => {
      const params = { path: { id, name }, query: { environment, path } };
      return unwrap(client.GET('/api/projects/{id}/volumes/{name}/files', { params }));
    },
  });

/** Saves a file of a volume. A plain link would lack the session's proof header. */
export async function downloadFile({ projectId: id, name, environment }: VolumeRef, path: string): Promise<void> {
  const params = { path: { id, name }, query: { environment, path } };
  const content = await unwrap(client.GET('/api/projects/{id}/volumes/{name}/file', { params, parseAs: 'blob' }));
  saveFile(content, path.split('/').at(-1) ?? name);
}
