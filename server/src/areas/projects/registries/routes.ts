import { done, idParams, list, ok, okDone, one } from '../../../http/answers.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import { presentRegistry, Registry, RegistryBody, RegistryChange } from './schemas.ts';
import type { Registries } from './service.ts';

export const registryRoutes = (registries: Registries): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/registries',
    permission: 'registry:list',
    summary: 'List registry logins',
    output: list(Registry),
    handle: async ({ caller }) => ok((await registries.list(caller)).map(presentRegistry)),
  }),
  defineRoute({
    method: 'POST',
    path: '/api/registries',
    permission: 'registry:write',
    summary: 'Add a registry login',
    status: 201,
    body: RegistryBody,
    output: one(Registry),
    handle: async ({ caller, body }) => ok(presentRegistry(await registries.create(caller, body))),
  }),
  defineRoute({
    method: 'GET',
    path: '/api/registries/:id',
    permission: 'registry:read',
    summary: 'Show a registry login',
    params: idParams,
    output: one(Registry),
    handle: async ({ caller, params }) => ok(presentRegistry(await registries.get(caller, params.id))),
  }),
  defineRoute({
    method: 'PATCH',
    path: '/api/registries/:id',
    permission: 'registry:write',
    summary: 'Change a registry login',
    params: idParams,
    body: RegistryChange,
    output: one(Registry),
    handle: async ({ caller, params, body }) => ok(presentRegistry(await registries.update(caller, params.id, body))),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api/registries/:id',
    permission: 'registry:admin',
    summary: 'Remove a registry login',
    params: idParams,
    output: done,
    async handle({ caller, params }) {
      await registries.delete(caller, params.id);
      return okDone;
    },
  }),
];
