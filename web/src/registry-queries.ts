import { type Schemas, unwrap } from '@mooring/client';
import { queryOptions } from '@tanstack/react-query';
import { client } from './api.ts';

export type Registry = Schemas['Registry'];

export const registriesQuery = queryOptions({
  queryKey: ['registries'],
  queryFn: async () => (await unwrap(client.GET('/api/registries'))).data,
});
