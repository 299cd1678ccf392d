import { z } from '../../../lib/zod/index.ts';
import type { DeployKeyTable } from '../../../db/tables.ts';
import { emptyResponse, idParams, isoTime, okItem, okDone, itemResponse, timeField } from '../../../http/responses.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import type { DeployKeys } from './service.ts';

const DeployKey = z
  .object({
    publicKey: z.string().describe('Line to add to the repository as a read-only deploy key.'),
    fingerprint: z.string(),
    createdAt: timeField,
  })
  .meta({ id: 'DeployKey' });

const present = ({ publicKey, fingerprint, createdAt }: DeployKeyTable) => ({
  publicKey,
  fingerprint,
  createdAt: isoTime(createdAt),
});

const path = '/api/projects/:id/deploy-key';

export const deployKeyRoutes = (keys: DeployKeys): Route[] => [
  defineRoute({
    method: 'GET',
    path,
    permission: 'project:read',
    summary: 'Show the deploy key of a project',
    params: idParams,
    output: itemResponse(DeployKey),
    handle: async ({ caller, params }) => okItem(present(await keys.get(caller, params.id))),
  }),
  defineRoute({
    method: 'POST',
    path,
    permission: 'project:write',
    summary: 'Create a deploy key for a project',
    description: 'Replaces the previous key. The private key is never shown.',
    params: idParams,
    output: itemResponse(DeployKey),
    status: 201,
    handle: async ({ caller, params }) => okItem(present(await keys.create(caller, params.id))),
  }),
  defineRoute({
    method: 'DELETE',
    path,
    permission: 'project:write',
    summary: 'Delete the deploy key of a project',
    params: idParams,
    output: emptyResponse,
    async handle({ caller, params }) {
      await keys.delete(caller, params.id);
      return okDone;
    },
  }),
];
