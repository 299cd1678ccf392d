import { type Schemas, unwrap } from '@mooring/client';
import { queryOptions } from '@tanstack/react-query';
import { client, useChange } from './api.ts';

export type Variable = Schemas['Variable'];
/** By name: an object sets the variable, null removes it. */
export type VariableChanges = Record<string, { value?: string; secret?: boolean; buildTime?: boolean } | null>;

export const variablesQuery = (projectId: string) =>
  queryOptions({
    queryKey: ['project', projectId, 'variables'],
    queryFn: async () =>
      (await unwrap(client.GET('/api/projects/{id}/variables', { params: { path: { id: projectId } } }))).data,
  });

export const useChangeVariables = (projectId: string) =>
  useChange((variables: VariableChanges) =>
    unwrap(client.PATCH('/api/projects/{id}/variables', { params: { path: { id: projectId } }, body: { variables } })),
  );
