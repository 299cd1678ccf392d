import { z } from '../../../lib/zod/index.ts';
import type { StorageKind } from '../../../drivers/storage/storage.ts';
import { emptyResponse, idParams, listResponse, okItem, okDone, itemResponse } from '../../../http/responses.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import { destinationSchemas, DestinationKind, Preflight, presentKind } from './schemas.ts';
import type { Destinations } from './service.ts';

export function destinationRoutes(destinations: Destinations, kinds: StorageKind[]): Route[] {
  const { Body, Change, Destination, present } = destinationSchemas(kinds);
  const addressFields = namesOfAddressFields(kinds);
  return [
    defineRoute({
      method: 'GET',
      path: '/api/backup-destinations',
      permission: 'backup_destination:list',
      summary: 'List backup destinations',
      output: listResponse(Destination),
      handle: async ({ caller }) => okItem((await destinations.list(caller)).map(present)),
    }),
    defineRoute({
      method: 'POST',
      path: '/api/backup-destinations',
      permission: 'backup_destination:write',
      summary: 'Add a backup destination',
      description: 'The kind decides which fields are required. Nothing is contacted; use preflight for that.',
      status: 201,
      body: Body,
      output: itemResponse(Destination),
      handle: async ({ caller, body }) => okItem(present(await destinations.create(caller, body))),
    }),
    defineRoute({
      method: 'GET',
      path: '/api/backup-destinations/kinds',
      permission: 'backup_destination:list',
      summary: 'List the kinds of destinations and their fields',
      output: listResponse(DestinationKind),
      handle: async () => okItem(kinds.map(presentKind)),
    }),
    defineRoute({
      method: 'POST',
      path: '/api/backup-destinations/preflight',
      permission: 'backup_destination:write',
      summary: 'Test a destination before saving it',
      description: `With the \`id\` of a stored one, omitted fields are taken from there. Stored credentials are used only for the stored address and user: with another ${addressFields}, send them again (400 otherwise).`,
      body: Body.extend({ id: z.string().max(100).optional() }),
      output: Preflight,
      handle: async ({ caller, body }) => destinations.preflightUnsaved(caller, body),
    }),
    defineRoute({
      method: 'GET',
      path: '/api/backup-destinations/:id',
      permission: 'backup_destination:read',
      summary: 'Show a backup destination',
      params: idParams,
      output: itemResponse(Destination),
      handle: async ({ caller, params }) => okItem(present(await destinations.get(caller, params.id, 'read'))),
    }),
    defineRoute({
      method: 'PATCH',
      path: '/api/backup-destinations/:id',
      permission: 'backup_destination:write',
      summary: 'Change a backup destination',
      description: `An omitted credential keeps the stored value, null clears it, a string replaces it. When ${addressFields} changes, send every stored credential again or clear it (400 otherwise). The kind cannot change.`,
      params: idParams,
      body: Change,
      output: itemResponse(Destination),
      handle: async ({ caller, params, body }) => okItem(present(await destinations.update(caller, params.id, body))),
    }),
    defineRoute({
      method: 'DELETE',
      path: '/api/backup-destinations/:id',
      permission: 'backup_destination:admin',
      summary: 'Remove a backup destination',
      description: 'Objects stored there are kept.',
      params: idParams,
      output: emptyResponse,
      async handle({ caller, params }) {
        await destinations.delete(caller, params.id);
        return okDone;
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/api/backup-destinations/:id/preflight',
      permission: 'backup_destination:write',
      summary: 'Test a backup destination',
      description:
        'Writes, reads back, compares and deletes a small object. The status is 200 even when that fails; the body has the reason.',
      params: idParams,
      output: Preflight,
      handle: async ({ caller, params }) => destinations.preflight(caller, params.id),
    }),
  ];
}

/** `endpoint, sshHost or sshPort`, of all kinds. */
function namesOfAddressFields(kinds: StorageKind[]): string {
  const fields = kinds.flatMap((kind) => kind.fields).filter(({ isAddress }) => isAddress);
  const names = [...new Set(fields.map(({ name }) => name))];
  // Without Intl, whose first use takes longer than creating all other routes.
  return `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
}
