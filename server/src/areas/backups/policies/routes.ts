import { z } from '../../../lib/zod/index.ts';
import {
  emptyResponse,
  idParams,
  isoTime,
  isoTimeOrNull,
  listResponse,
  okItem,
  okDone,
  itemResponse,
  timeField,
} from '../../../http/responses.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import { Backup, presentBackup, presentRestore, Restore } from '../jobs/schemas.ts';
import type { Backups } from '../jobs/service.ts';
import type { BackupKeys } from '../keys/service.ts';
import type { BackupSources } from '../sources/source.ts';
import { Policy, PolicyBody, PolicyChange, presentPolicy } from './schemas.ts';
import { type Policies, requireUnrestricted } from './service.ts';
import { PolicySource } from './settings.ts';

const FoundSource = z
  .object({ source: PolicySource, name: z.string(), reason: z.string(), isDefault: z.boolean() })
  .meta({ id: 'FoundBackupSource' });

const Key = z
  .object({ recipient: z.string(), createdAt: timeField, exportedAt: timeField.nullable() })
  .meta({ id: 'BackupKey' });

type Deps = { policies: Policies; backups: Backups; keys: BackupKeys; sources: BackupSources };

export function policyRoutes({ policies, backups, keys, sources }: Deps): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/api/backup-policies',
      permission: 'backup:list',
      summary: 'List backup policies',
      query: z.object({ projectId: z.string().max(100).optional() }),
      output: listResponse(Policy),
      async handle({ caller, query }) {
        return okItem((await policies.list(caller, query.projectId)).map((row) => presentPolicy(row)));
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/api/backup-policies',
      permission: 'backup:write',
      summary: 'Create a backup policy',
      body: PolicyBody,
      output: itemResponse(Policy),
      status: 201,
      handle: async ({ caller, body }) => okItem(presentPolicy(await policies.create(caller, body))),
    }),
    defineRoute({
      method: 'GET',
      path: '/api/backup-policies/:id',
      permission: 'backup:read',
      summary: 'Settings, next run and health of a backup policy',
      params: idParams,
      output: itemResponse(Policy),
      handle: async ({ caller, params }) => okItem(presentPolicy(await policies.get(caller, params.id, 'read'))),
    }),
    defineRoute({
      method: 'PATCH',
      path: '/api/backup-policies/:id',
      permission: 'backup:write',
      summary: 'Change a backup policy',
      params: idParams,
      body: PolicyChange,
      output: itemResponse(Policy),
      handle: async ({ caller, params, body }) => okItem(presentPolicy(await policies.update(caller, params.id, body))),
    }),
    defineRoute({
      method: 'DELETE',
      path: '/api/backup-policies/:id',
      permission: 'backup:admin',
      summary: 'Delete a backup policy',
      description: 'Its backups stay.',
      params: idParams,
      output: emptyResponse,
      async handle({ caller, params }) {
        await policies.delete(caller, params.id);
        return okDone;
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/api/backup-policies/:id/run',
      permission: 'backup:write',
      summary: 'Run a backup policy now',
      description: 'While a run is under way, returns that one.',
      status: 202,
      params: idParams,
      output: itemResponse(Backup),
      async handle({ caller, params }) {
        const row = await backups.run(caller, await policies.get(caller, params.id, 'write'));
        return okItem(presentBackup(row));
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/api/backup-policies/:id/drill',
      permission: 'backup:write',
      summary: 'Prove that the newest backup can be restored',
      description: 'Restores it to a scratch place, checks the data, and removes the place.',
      status: 202,
      params: idParams,
      output: itemResponse(Restore),
      handle: async ({ caller, params }) =>
        okItem(presentRestore(await backups.drill(caller, await policies.get(caller, params.id, 'write')))),
    }),
    defineRoute({
      method: 'GET',
      path: '/api/projects/:id/backup-sources',
      permission: 'backup:read',
      summary: 'List the volumes and databases of a project that can be backed up',
      params: idParams,
      query: z.object({ environment: z.string().max(100).default('production') }),
      output: listResponse(FoundSource),
      async handle({ caller, params, query }) {
        const { id: projectId } = await policies.projectOf(caller, params.id);
        const owner = { organizationId: caller.organization.id, projectId, ...query };
        const found = await sources.find(owner);
        return okItem(found.map(({ ref, name, reason, isDefault }) => ({ source: ref, name, reason, isDefault })));
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/api/backup-keys',
      permission: 'backup:list',
      summary: 'List the keys that archives are encrypted with',
      description: 'Newest first. The newest one encrypts; all of them decrypt.',
      output: listResponse(Key),
      handle: async ({ caller }) =>
        okItem(
          (await keys.list(caller.organization.id)).map(({ recipient, createdAt, exportedAt }) => ({
            recipient,
            createdAt: isoTime(createdAt),
            exportedAt: isoTimeOrNull(exportedAt),
          })),
        ),
    }),
    defineRoute({
      method: 'POST',
      path: '/api/backup-keys/export',
      permission: 'backup:admin',
      summary: 'Export the backup keys',
      description:
        'An identity file for `age -d -i`. Keep it apart from Mooring: without it, encrypted archives are lost if Mooring is.',
      output: itemResponse(z.object({ identities: z.string() })),
      async handle({ caller }) {
        requireUnrestricted(caller);
        return okItem({ identities: await keys.export(caller) });
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/api/backup-keys/import',
      permission: 'backup:admin',
      summary: 'Import backup keys, to restore archives of another instance',
      body: z.object({ identities: z.string().min(1).max(65_536).describe('An exported identity file.') }),
      output: itemResponse(z.object({ imported: z.number() })),
      async handle({ caller, body }) {
        requireUnrestricted(caller);
        return okItem({ imported: await keys.import(caller, body.identities) });
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/api/backup-keys/rotate',
      permission: 'backup:admin',
      summary: 'Encrypt new archives with a new key',
      output: itemResponse(Key),
      async handle({ caller }) {
        requireUnrestricted(caller);
        const { recipient, createdAt } = await keys.rotate(caller);
        return okItem({ recipient, createdAt: isoTime(createdAt), exportedAt: null });
      },
    }),
  ];
}
