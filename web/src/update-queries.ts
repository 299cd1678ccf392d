import { type Schemas, unwrap } from '@mooring/client';
import { queryOptions } from '@tanstack/react-query';
import { client } from './api.ts';

export type InstanceUpdate = Schemas['InstanceUpdate'];
export type UpdateRun = NonNullable<InstanceUpdate['update']>;

const followMs = 1000;

export const isUpdating = (run: UpdateRun | null | undefined): boolean =>
  run?.state === 'requested' || run?.state === 'running';

/** Polled while an update runs, also while the service is away. For the instance owner only. */
export const instanceUpdateQuery = queryOptions({
  queryKey: ['instance', 'update'],
  queryFn: async () => (await unwrap(client.GET('/api/instance/update'))).data,
  refetchInterval: ({ state: { data } }) => (isUpdating(data?.update) ? followMs : false),
});
