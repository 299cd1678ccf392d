import { type Schemas, unwrap } from '@mooring/client';
import { queryOptions } from '@tanstack/react-query';
import { client } from './api.ts';

export type Worker = Schemas['Worker'];

/** For the instance owner only. */
export const workersQuery = queryOptions({
  queryKey: ['instance', 'workers'],
  queryFn: async () => (await unwrap(client.GET('/api/workers'))).data,
  refetchInterval: 5000,
});
