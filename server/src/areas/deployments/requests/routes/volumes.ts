import { Readable } from 'node:stream';
import { z } from '../../../../lib/zod/index.ts';
import {
  emptyResponse,
  isoTimeOrNull,
  listResponse,
  okItem,
  okDone,
  itemResponse,
  timeField,
} from '../../../../http/responses.ts';
import { defineRoute, type Route } from '../../../../http/define-route.ts';
import { Environment } from '../schemas.ts';
import { volumeName } from '../../model/volumes.ts';
import { listVolumeFiles, openFileIn } from '../volume-files.ts';
import { volumeOrigins, type Volume as Found, type Volumes } from '../volumes.ts';

const Name = z.string().regex(volumeName, {
  error: 'must be at most 63 letters, digits, dots, dashes and underscores, and begin with a letter or a digit',
});
const Path = z
  .string()
  .min(1)
  .max(500)
  // oxlint-disable-next-line no-control-regex
  .regex(/^[^\u0000-\u001f\u007f]*$/, { error: 'must not have control characters' })
  .describe('Mount path: relative to the folder of the app, or absolute in a container.');
const Overlap = z
  .boolean()
  .describe('Two releases may write to it at once, so deployments do not stop the previous release first.');

const Volume = z
  .object({
    id: z.string().nullable().describe('Its name in the container engine.'),
    name: z.string(),
    path: z.string().nullable(),
    service: z.string().nullable(),
    environment: z.string(),
    origin: z
      .enum(volumeOrigins)
      .describe('Whether it was added to the project, comes from the compose file, or is declared by an image.'),
    sizeBytes: z.number().nullable(),
    inUse: z.boolean().describe('The active release mounts it.'),
    pending: z.boolean().describe('The next deployment mounts it, or mounts it at another path.'),
    overlap: z.boolean(),
    deleting: z.boolean().describe('It was removed with its data, and the data is still being deleted.'),
    createdAt: timeField.nullable(),
  })
  .meta({ id: 'Volume' });

const Entry = z
  .object({
    name: z.string(),
    type: z.enum(['file', 'folder', 'link', 'other']),
    sizeBytes: z.number().nullable(),
    modifiedAt: timeField,
  })
  .meta({ id: 'VolumeEntry' });

const params = z.object({ id: z.string().max(100) });
const oneParams = params.extend({ name: z.string().max(300) });
const filesQuery = z.object({ environment: Environment, path: z.string().max(4000).default('') });

const shown = (volume: Found) => ({ ...volume, createdAt: isoTimeOrNull(volume.createdAt) });

export const volumeRoutes = (volumes: Volumes): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/projects/:id/volumes',
    permission: 'project:read',
    summary: 'Volumes of a project',
    description:
      'Data that outlives deployments. Deployments never remove volumes; deleting the project does only on request.',
    params,
    query: z.object({
      orphans: z.stringbool().default(false).describe('List data that no release mounts any more.'),
    }),
    output: listResponse(Volume),
    handle: async ({ caller, params: { id }, query }) => okItem((await volumes.list(caller, id, query)).map(shown)),
  }),
  defineRoute({
    method: 'POST',
    path: '/api/projects/:id/volumes',
    permission: 'project:write',
    summary: 'Add a volume',
    description: 'The next deployment mounts it. Adding a removed name again brings its data back.',
    params,
    body: z.object({
      name: Name,
      path: Path,
      service: z.string().max(100).optional().describe('Service that mounts it; required if there are several.'),
      environment: Environment,
      overlap: Overlap.default(false),
      from: z
        .string()
        .max(300)
        .optional()
        .describe('`id` of a volume from `?orphans=true`, whose data the new volume uses.'),
    }),
    output: itemResponse(Volume),
    status: 201,
    handle: async ({ caller, params: { id }, body }) => okItem(shown(await volumes.add(caller, id, body))),
  }),
  defineRoute({
    method: 'PATCH',
    path: '/api/projects/:id/volumes/:name',
    permission: 'project:write',
    summary: 'Mount a volume elsewhere',
    description: 'From the next deployment on.',
    params: oneParams,
    body: z.object({ path: Path.optional(), overlap: Overlap.optional(), environment: Environment }),
    output: itemResponse(Volume),
    handle: async ({ caller, params: { id, name }, body }) =>
      okItem(shown(await volumes.change(caller, id, name, body))),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api/projects/:id/volumes/:name',
    permission: 'project:admin',
    summary: 'Remove a volume',
    description:
      'The next deployment does not mount it. Its data is kept unless `data=delete`; data in use is deleted once its release is replaced.',
    params: oneParams,
    query: z.object({ environment: Environment, data: z.enum(['keep', 'delete']).default('keep') }),
    output: emptyResponse,
    async handle({ caller, params: { id, name }, query }) {
      await volumes.remove(caller, id, name, query);
      return okDone;
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/projects/:id/volumes/:name/files',
    permission: 'project:read',
    summary: 'Files in a folder of a volume',
    params: oneParams,
    query: filesQuery,
    output: z.object({
      success: z.literal(true),
      data: z.array(Entry),
      truncated: z.boolean().describe('The list is incomplete: there are more files.'),
    }),
    async handle({ caller, params: { id, name }, query: { environment, path } }) {
      const { entries, truncated } = await listVolumeFiles(await volumes.find(caller, id, name, environment), path);
      const data = entries.map(({ modifiedMs, ...entry }) => ({ ...entry, modifiedAt: isoTimeOrNull(modifiedMs)! }));
      return { success: true as const, data, truncated };
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/projects/:id/volumes/:name/file',
    permission: 'project:read',
    summary: 'Download a file of a volume',
    params: oneParams,
    query: filesQuery.extend({ path: z.string().min(1).max(4000) }),
    contentType: 'application/octet-stream',
    output: z.instanceof(Readable),
    async handle({ caller, params: { id, name }, query: { environment, path }, reply }) {
      const { content, sizeBytes, fileName } = await openFileIn(
        await volumes.find(caller, id, name, environment),
        path,
      );
      reply.header('content-length', String(sizeBytes));
      // Old clients understand only `filename`.
      const plain = fileName.replaceAll(/[^\x20-\x7e]|["\\]/g, '_');
      const exact = encodeURIComponent(fileName);
      reply.header('content-disposition', `attachment; filename="${plain}"; filename*=UTF-8''${exact}`);
      return content;
    },
  }),
];
