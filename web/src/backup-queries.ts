import { type Schemas, unwrap } from '@mooring/client';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { client, deploymentPollMs } from './api.ts';

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

export const isJobRunning = ({ finishedAt }: { finishedAt: string | null }): boolean => finishedAt === null;

/** Scheduled runs begin without a change event. */
const slowlyMs = 30_000;
const whileRunning = (jobs: Job[] | undefined) => (jobs?.some(isJobRunning) ? deploymentPollMs : slowlyMs);

export const policiesQuery = (projectId?: string) =>
  queryOptions({
    queryKey: ['backup-policies', projectId ?? 'all'],
    queryFn: async () =>
      (await unwrap(client.GET('/api/backup-policies', { params: { query: projectId ? { projectId } : {} } }))).data,
    refetchInterval: ({ state: { data } }) =>
      data?.some(({ lastRun }) => lastRun && isJobRunning(lastRun)) ? deploymentPollMs : slowlyMs,
  });

export const policyQuery = (id: string) =>
  queryOptions({
    queryKey: ['backup-policies', 'one', id],
    queryFn: async () => (await unwrap(client.GET('/api/backup-policies/{id}', { params: { path: { id } } }))).data,
    refetchInterval: ({ state: { data } }) =>
      data?.lastRun && isJobRunning(data.lastRun) ? deploymentPollMs : slowlyMs,
  });

export const sourcesQuery = (projectId: string, environment: string) =>
  queryOptions({
    queryKey: ['project', projectId, 'backup-sources', environment],
    queryFn: async () => {
      const params = { path: { id: projectId }, query: { environment } };
      return (await unwrap(client.GET('/api/projects/{id}/backup-sources', { params }))).data;
    },
  });

export type JobFilter = { projectId?: string | undefined; policyId?: string | undefined };

export const backupPagesQuery = (filter: JobFilter) =>
  infiniteQueryOptions({
    queryKey: ['backups', filter],
    queryFn: ({ pageParam: cursor }) =>
      unwrap(client.GET('/api/backups', { params: { query: { ...filter, limit: 25, cursor } } })),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor ?? undefined,
    refetchInterval: ({ state: { data } }) => whileRunning(data?.pages.flatMap((page) => page.data)),
  });

export const restorePagesQuery = (filter: JobFilter) =>
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
    refetchInterval: ({ state: { data } }) => (data && isJobRunning(data) ? deploymentPollMs : false),
  });

export const restoreQuery = (id: string) =>
  queryOptions({
    queryKey: ['restore', id],
    queryFn: async () => (await unwrap(client.GET('/api/restores/{id}', { params: { path: { id } } }))).data,
    refetchInterval: ({ state: { data } }) => (data && isJobRunning(data) ? deploymentPollMs : false),
  });

export const backupKeysQuery = queryOptions({
  queryKey: ['backup-keys'],
  queryFn: async () => (await unwrap(client.GET('/api/backup-keys'))).data,
});

/** Saves an archive, or one file of it. The browser writes it to disk as it arrives: archives may be larger than the
 * memory of a page. */
export async function downloadArchive(id: string, archiveId: string, path?: string): Promise<void> {
  const params = { path: { id, archiveId } };
  const body = path === undefined ? {} : { path };
  const { data } = await unwrap(client.POST('/api/backups/{id}/archives/{archiveId}/link', { params, body }));
  const link = document.createElement('a');
  link.href = data.url;
  link.download = '';
  link.click();
}

type Import = { projectId: string; destinationId: string; file: File };

/** Stores an archive file as a backup of a project. The browser reads the file from disk while it sends it. */
export async function importArchive({ file, ...place }: Import): Promise<Backup> {
  const encrypted = file.name.endsWith('.age') ? ('true' as const) : ('false' as const);
  const { data } = await unwrap(
    client.POST('/api/backups/import', {
      params: { query: { ...place, encrypted } },
      headers: { 'content-type': 'application/octet-stream' },
      body: file as never,
      bodySerializer: (body: unknown) => body as File,
    }),
  );
  return data;
}
