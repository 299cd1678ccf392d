import { ApiError } from '@mooring/client';
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { meQuery } from './api.ts';
import { cloudTroubleIn } from './cloud-error.ts';

const hasStatus = (error: unknown, ...statuses: number[]) =>
  error instanceof ApiError && statuses.includes(error.status);

/** A refusal is final; only timeouts and server errors are retried. */
function retry(failures: number, error: unknown): boolean {
  const trouble = cloudTroubleIn(error);
  // The service already waits a while for the cloud, so one retry is enough.
  if (trouble) return trouble === 'unreachable' && failures < 1;
  return failures < 2 && !(error instanceof ApiError && error.status < 500);
}

export function createQueries({ onSessionOver }: { onSessionOver: () => Promise<void> }): QueryClient {
  // A refused change may mean that the session or role has changed, so the signed-in person is reloaded.
  const askAgain = () => queries.invalidateQueries({ queryKey: meQuery.queryKey });
  const queries = new QueryClient({
    defaultOptions: {
      // The browser's "offline" says nothing about a service on this machine or network. Without `always`, requests
      // would wait forever, and a change would be sent later, even after its dialog was cancelled.
      queries: { retry, staleTime: 5000, networkMode: 'always', refetchOnReconnect: true },
      mutations: { networkMode: 'always' },
    },
    queryCache: new QueryCache({
      onError(error, query) {
        if (hasStatus(error, 401)) void onSessionOver();
        else if (hasStatus(error, 403, 404) && query.queryKey[0] !== 'me') void askAgain();
      },
    }),
    mutationCache: new MutationCache({
      onError(error) {
        if (hasStatus(error, 401, 403)) void askAgain();
      },
    }),
  });
  return queries;
}
