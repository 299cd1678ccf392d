import { ApiError, type Schemas, unwrap } from '@mooring/client';
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

/** Our own instance answers, but its cloud does not, or does not take our token. */
export const cloudTroubleIn = (error: unknown): 'unreachable' | 'refused' | undefined => {
  if (!(error instanceof ApiError)) return undefined;
  if (error.code === 'cloud_unreachable') return 'unreachable';
  return error.code === 'cloud_refused' ? 'refused' : undefined;
};
