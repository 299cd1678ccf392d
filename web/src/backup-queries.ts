import { type Schemas, unwrap } from '@mooring/client';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { client, lookAgainMs } from './api.ts';
import { saveFile } from './save-file.ts';

export type Policy = Schemas['BackupPolicy'];
export type PolicyBody = Schemas['BackupPolicyBody'];
export type Backup = Schemas['Backup'];
export type Archive = Schemas['BackupArchive'];
export type Restore = Schemas['Restore'];
export type RestoreBody = Schemas['RestoreBody'];
export type BackupSource = Schemas['BackupSource'];
export type FoundSource = Schemas['FoundBackupSource'];
export type BackupKey = Schemas['BackupKey'];
export type Job = Backup | Restore;

export const isRunning = ({ finishedAt }: { finishedAt: string | null }): boolean => finishedAt === null;

/** Scheduled runs begin without a change event. */
const slowlyMs = 30_000;
const whileRunning = (jobs: Job[] | undefined) => (jobs?.some(isRunning) ? lookAgainMs : slowlyMs);

export const policiesQuery = (projectId?: string) =>
  queryOptions({
    queryKey: ['backup-policies', projectId ?? 'all'],
    queryFn: async () =>
      (await unwrap(client.GET('/api/backup-policies', { params: { query: projectId ? { projectId } : {} } }))).data,
    refetchInterval: ({ state: { data } }) =>
      data?.some(({ lastRun }) => lastRun && isRunning(lastRun)) ? lookAgainMs : slowlyMs,
  });

export const sourcesQuery = (projectId: string, environment: string) =>
  queryOptions({
    queryKey: ['project', projectId, 'backup-sources', environment],
    queryFn: async () => {
      const params = { path: { id: projectId }, query: { environment } };
      return (await unwrap(client.GET('/api/projects/{id}/backup-sources', { params }))).data;
    },
  });

type Filter = { projectId?: string | undefined };

export const backupPagesQuery = (filter: Filter) =>
  infiniteQueryOptions({
    queryKey: ['backups', filter],
    queryFn: ({ pageParam: cursor }) =>
      unwrap(client.GET('/api/backups', { params: { query: { ...filter, limit: 25, cursor } } })),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor ?? undefined,
    refetchInterval: ({ state: { data } }) => whileRunning(data?.pages.flatMap((page) => page.data)),
  });

export const restorePagesQuery = (filter: Filter) =>
  infiniteQueryOptions({
    queryKey: ['restores', filter],
    queryFn: ({ pageParam: cursor }) =>
      unwrap(client.GET('/api/restores', { params: { query: { ...filter, limit: 10, cursor } } })),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor ?? undefined,
    refetchInterval: ({ state: { data } }) => whileRunning(data?.pages.flatMap((page) => page.data)),
  });

export const backupQuery = (id: string) =>
  queryOptions({
    queryKey: ['backup', id],
    queryFn: async () => (await unwrap(client.GET('/api/backups/{id}', { params: { path: { id } } }))).data,
    refetchInterval: ({ state: { data } }) => (data && isRunning(data) ? lookAgainMs : false),
  });

export const restoreQuery = (id: string) =>
  queryOptions({
    queryKey: ['restore', id],
    queryFn: async () => (await unwrap(client.GET('/api/restores/{id}', { params: { path: { id } } }))).data,
    refetchInterval: ({ state: { data } }) => (data && isRunning(data) ? lookAgainMs : false),
  });

export const backupKeysQuery = queryOptions({
  queryKey: ['backup-keys'],
  queryFn: async () => (await unwrap(client.GET('/api/backup-keys'))).data,
});

/** Saves an archive. A plain link would lack the session's proof header. */
export async function downloadArchive(id: string, { id: archiveId, key }: Archive): Promise<void> {
  const params = { path: { id, archiveId } };
  const content = await unwrap(
    client.GET('/api/backups/{id}/archives/{archiveId}/download', { params, parseAs: 'blob' }),
  );
  saveFile(content as unknown as Blob, key.split('/').at(-1) ?? archiveId);
}
