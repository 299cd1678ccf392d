import { type Schemas, unwrap } from '@mooring/client';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { client, healthQuery } from './api.ts';

export type CloudLink = Schemas['CloudLink'];

/** Also queries the cloud, so it can be slow. */
export const cloudLinkQuery = queryOptions({
  queryKey: ['cloud', 'link'],
  queryFn: async () => (await unwrap(client.GET('/api/cloud/link'))).data,
  staleTime: 30_000,
});

/** Whether this instance can be linked to a cloud; a cloud itself cannot. */
export const useIsSelfHosted = (): boolean => useQuery(healthQuery).data?.mode === 'self-hosted';
