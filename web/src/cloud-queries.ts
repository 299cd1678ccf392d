import { type Schemas, unwrap } from '@mooring/client';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { client, healthQuery } from './api.ts';

export type CloudLink = Schemas['CloudLink'];

/** Asks the cloud as well, which may take its time. */
export const cloudLinkQuery = queryOptions({
  queryKey: ['cloud', 'link'],
  queryFn: async () => (await unwrap(client.GET('/api/cloud/link'))).data,
  staleTime: 30_000,
});

/** Whether there may be a cloud behind this instance; one that is a cloud itself has none. */
export const useIsSelfHosted = (): boolean => useQuery(healthQuery).data?.mode === 'self-hosted';
