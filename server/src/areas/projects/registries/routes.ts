import { emptyResponse, idParams, listResponse, okItem, okDone, itemResponse } from '../../../http/responses.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import { presentRegistry, Registry, RegistryBody, RegistryChange } from './schemas.ts';
import type { Registries } from './service.ts';

export const registryRoutes = (registries: Registries): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/registries',
    permission: 'registry:list',
    summary: 'List registry logins',
    output: listResponse(Registry),
    handle: async ({ caller }) => okItem((await registries.list(caller)).map(presentRegistry)),
  }),
  defineRoute({
    method: 'POST',
    path: '/api/registries',
    permission: 'registry:write',
    summary: 'Add a registry login',
    status: 201,
    body: RegistryBody,
    output: itemResponse(Registry),
    handle: async ({ caller, body }) => okItem(presentRegistry(await registries.create(caller, body))),
  }),
  defineRoute({
    method: 'GET',
    path: '/api/registries/:id',
    permission: 'registry:read',
    summary: 'Show a registry login',
    params: idParams,
    output: itemResponse(Registry),
    handle: async ({ caller, params }) => okItem(presentRegistry(await registries.get(caller, params.id))),
  }),
  defineRoute({
    method: 'PATCH',
    path: '/api/registries/:id',
    permission: 'registry:write',
    summary: 'Change a registry login',
    params: idParams,
    body: RegistryChange,
    output: itemResponse(Registry),
    handle: async ({ caller, params, body }) =>
      okItem(presentRegistry(await registries.update(caller, params.id, body))),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api/registries/:id',
    permission: 'registry:admin',
    summary: 'Remove a registry login',
    params: idParams,
    output: emptyResponse,
    async handle({ caller, params }) {
      await registries.delete(caller, params.id);
      return okDone;
    },
  }),
];
