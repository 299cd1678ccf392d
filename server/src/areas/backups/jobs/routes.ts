import type { Readable } from 'node:stream';
import { z } from '../../../lib/zod/index.ts';
import type { Broadcasts } from '../../../events/broadcasts.ts';
import {
  emptyResponse,
  idParams,
  okItem,
  okDone,
  okPage,
  itemResponse,
  pageResponse,
  pageQuery,
} from '../../../http/responses.ts';
import type { Caller } from '../../../http/caller.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import type { ImportRequest } from './import.ts';
import { Backup, presentBackup, presentRestore, Restore } from './schemas.ts';
import type { ArchiveDownload, Downloads } from './downloads.ts';
import type { Backups } from './service.ts';
import type { JobRow } from './store.ts';

const ListQuery = z.object({
  ...pageQuery,
  projectId: z.string().max(100).optional(),
  policyId: z.string().max(100).optional(),
});

export const RestoreBody = z
  .object({
    target: z
      .enum(['in-place', 'new-volume', 'scratch'])
      .describe(
        '`in-place` replaces the data, after a backup of it. `new-volume` restores to new volumes and databases. `scratch` restores to a place that nothing uses, which is removed after a day.',
      ),
    projectId: z.string().max(100).optional().describe('Another project to restore to.'),
    environment: z.string().max(100).optional(),
    sources: z.array(z.string().max(300)).min(1).max(100).optional().describe('Names of archives; all by default.'),
    names: z
      .record(z.string().max(300), z.string().min(1).max(60))
      .optional()
      .describe('Names of the new volumes and databases, by source.'),
    path: z.string().min(1).max(1000).optional().describe('One file or folder of a volume.'),
    query: z.string().min(1).max(2000).optional().describe('Read-only query to prove a scratch restore with.'),
    confirm: z.boolean().optional().describe('Must be true for `in-place`.'),
  })
  .meta({ id: 'RestoreBody' });
export type RestoreBody = z.infer<typeof RestoreBody>;

const StreamQuery = z.object({ since: z.coerce.number().int().min(0).max(2_147_483_647).optional() });
const restores: JobRow['kind'][] = ['restore', 'drill'];

type Receive = (caller: Caller, wanted: ImportRequest, body: Readable) => Promise<JobRow>;

type Deps = { backups: Backups; downloads: Downloads; broadcasts: Broadcasts; receive: Receive };

export function jobRoutes({ backups, downloads, broadcasts, receive }: Deps): Route[] {
  /** Both kinds of work have the same stream. */
  const streamRoute = (path: '/api/backups' | '/api/restores', kinds: JobRow['kind'][], what: string) =>
    defineRoute({
      method: 'GET',
      path: `${path}/:id/stream`,
      permission: 'backup:read',
      summary: `Stream a ${what} as server-sent events`,
      description:
        'Event ids are sequence numbers. `since` or `Last-Event-ID` resumes after that event. Returns 204 once it has finished and every event was read.',
      params: idParams,
      query: StreamQuery,
      streams: true,
      output: z.unknown(),
      async handle({ caller, params: { id }, query, headers, stream, noContent }) {
        const row = await backups.get(caller, id, kinds, 'read');
        const last = Number(/^\d{1,9}$/.exec(String(headers['last-event-id'] ?? ''))?.[0] ?? 0);
        const since = Math.max(query.since ?? 0, last);
        if (row.finishedAt !== null && since >= row.lastSeq) return noContent();
        await broadcasts.follow(
          id,
          since,
          stream((now) => backups.get(now, id, kinds, 'read')),
        );
        return undefined;
      },
    });

  return [
    defineRoute({
      method: 'GET',
      path: '/api/backups',
      permission: 'backup:list',
      summary: 'List backups, newest first',
      query: ListQuery,
      output: pageResponse(Backup),
      async handle({ caller, query }) {
        const { rows, nextCursor } = await backups.list(caller, ['backup'], query);
        return okPage(rows.map(presentBackup), nextCursor);
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/api/backups/:id',
      permission: 'backup:read',
      summary: 'Status, progress and archives of a backup',
      params: idParams,
      output: itemResponse(Backup),
      handle: async ({ caller, params }) =>
        okItem(presentBackup(await backups.get(caller, params.id, ['backup'], 'read'))),
    }),
    streamRoute('/api/backups', ['backup'], 'backup'),
    defineRoute({
      method: 'POST',
      path: '/api/backups/:id/cancel',
      permission: 'backup:write',
      summary: 'Cancel a backup',
      params: idParams,
      output: itemResponse(Backup),
      handle: async ({ caller, params }) => okItem(presentBackup(await backups.cancel(caller, params.id, ['backup']))),
    }),
    defineRoute({
      method: 'POST',
      path: '/api/backups/:id/pin',
      permission: 'backup:write',
      summary: 'Keep a backup regardless of the retention',
      params: idParams,
      body: z.object({ pinned: z.boolean().default(true) }).default({ pinned: true }),
      output: itemResponse(Backup),
      handle: async ({ caller, params, body }) =>
        okItem(presentBackup(await backups.pin(caller, params.id, body.pinned))),
    }),
    defineRoute({
      method: 'DELETE',
      path: '/api/backups/:id',
      permission: 'backup:admin',
      summary: 'Delete a backup and its archives',
      params: idParams,
      output: emptyResponse,
      async handle({ caller, params }) {
        await backups.delete(caller, params.id);
        return okDone;
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/api/backups/:id/archives/:archiveId/download',
      permission: 'backup:admin',
      summary: 'Download an archive as stored',
      description: 'An encrypted archive is restored with `age -d -i KEY | zstd -d | tar x`.',
      params: z.object({ id: z.string().max(100), archiveId: z.string().max(100) }),
      contentType: 'application/octet-stream',
      output: z.unknown(),
      handle: async ({ caller, params, reply }) =>
        sendFile(reply, await downloads.open(caller, params.id, params.archiveId)),
    }),
    defineRoute({
      method: 'GET',
      path: '/api/backups/:id/archives/:archiveId/file',
      permission: 'backup:admin',
      summary: 'Download one file of an archive',
      params: z.object({ id: z.string().max(100), archiveId: z.string().max(100) }),
      query: z.object({ path: z.string().min(1).max(4000).describe('Path in the volume, such as images/logo.png.') }),
      contentType: 'application/octet-stream',
      output: z.unknown(),
      handle: async ({ caller, params, query, reply }) =>
        sendFile(reply, await downloads.open(caller, params.id, params.archiveId, query.path)),
    }),
    defineRoute({
      method: 'POST',
      path: '/api/backups/:id/archives/:archiveId/link',
      permission: 'backup:admin',
      summary: 'Create a link that downloads an archive, or one file of it',
      description: 'For browsers: the link needs no credentials, and expires after a minute.',
      status: 201,
      params: z.object({ id: z.string().max(100), archiveId: z.string().max(100) }),
      body: z.object({ path: z.string().min(1).max(4000).optional().describe('One file of a volume.') }),
      output: itemResponse(z.object({ url: z.string() })),
      async handle({ caller, params, body }) {
        const ticket = await downloads.ticketFor(caller, params.id, params.archiveId, body.path);
        return okItem({ url: `/api/backup-downloads?ticket=${ticket}` });
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/api/backup-downloads',
      permission: 'public',
      summary: 'Download by a link',
      query: z.object({ ticket: z.string().max(10_000) }),
      contentType: 'application/octet-stream',
      output: z.unknown(),
      handle: async ({ query, reply }) => sendFile(reply, await downloads.openByTicket(query.ticket)),
    }),
    defineRoute({
      method: 'POST',
      path: '/api/backups/import',
      permission: 'backup:admin',
      summary: 'Import an archive, also of another instance',
      description:
        'The body is the archive. It is checked, stored at the destination, and can be restored like a backup of the project. Import the key that it was encrypted with first.',
      status: 201,
      query: z.object({
        projectId: z.string().max(100),
        environment: z.string().min(1).max(100).default('production'),
        destinationId: z.string().max(100),
        encrypted: z.enum(['true', 'false']).default('true'),
      }),
      rawBody: true,
      bodyLimit: Number.MAX_SAFE_INTEGER,
      output: itemResponse(Backup),
      handle: async ({ caller, query, raw }) =>
        okItem(presentBackup(await receive(caller, { ...query, encrypted: query.encrypted === 'true' }, raw))),
    }),
    defineRoute({
      method: 'POST',
      path: '/api/backups/:id/restore',
      permission: 'backup:admin',
      summary: 'Restore a backup',
      status: 202,
      params: idParams,
      body: RestoreBody,
      output: itemResponse(Restore),
      handle: async ({ caller, params, body }) =>
        okItem(presentRestore(await backups.restore(caller, params.id, body))),
    }),
    defineRoute({
      method: 'GET',
      path: '/api/restores',
      permission: 'backup:list',
      summary: 'List restores and drills, newest first',
      query: ListQuery,
      output: pageResponse(Restore),
      async handle({ caller, query }) {
        const { rows, nextCursor } = await backups.list(caller, restores, query);
        return okPage(rows.map(presentRestore), nextCursor);
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/api/restores/:id',
      permission: 'backup:read',
      summary: 'Status, progress and proof of a restore',
      params: idParams,
      output: itemResponse(Restore),
      handle: async ({ caller, params }) =>
        okItem(presentRestore(await backups.get(caller, params.id, restores, 'read'))),
    }),
    streamRoute('/api/restores', restores, 'restore'),
    defineRoute({
      method: 'POST',
      path: '/api/restores/:id/cancel',
      permission: 'backup:write',
      summary: 'Cancel a restore',
      description: 'A restore in place is undone.',
      params: idParams,
      output: itemResponse(Restore),
      handle: async ({ caller, params }) => okItem(presentRestore(await backups.cancel(caller, params.id, restores))),
    }),
    defineRoute({
      method: 'POST',
      path: '/api/restores/:id/undo',
      permission: 'backup:admin',
      summary: 'Undo a restore in place',
      description: 'Restores the backup that was taken before it.',
      status: 202,
      params: idParams,
      output: itemResponse(Restore),
      handle: async ({ caller, params }) => okItem(presentRestore(await backups.undo(caller, params.id))),
    }),
  ];
}

type Reply = { header(name: string, value: string): void };

function sendFile(reply: Reply, { name, bytes, content }: ArchiveDownload): Readable {
  reply.header('content-length', String(bytes));
  reply.header('content-disposition', `attachment; filename="${fileName(name)}"`);
  return content;
}

/** A name that needs no quoting. */
const fileName = (path: string): string =>
  path
    .split('/')
    .at(-1)!
    .replaceAll(/[^A-Za-z0-9._-]/g, '_');
