import { ApiError } from '@mooring/client';
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { meQuery } from './api.ts';
import { cloudTroubleIn } from './cloud-error.ts';

const hasStatus = (error: unknown, ...statuses: number[]) =>
  error instanceof ApiError && statuses.includes(error.status);

/** An answer that says no will say no again; only silence and failures of the service are worth another try. */
function retry(failures: number, error: unknown): boolean {
  const trouble = cloudTroubleIn(error);
  // Whether the cloud answers takes the service a while to find out; who waits is told soon.
  if (trouble) return trouble === 'unreachable' && failures < 1;
  return failures < 2 && !(error instanceof ApiError && error.status < 500);
}

export function createQueries({ onSessionOver }: { onSessionOver: () => Promise<void> }): QueryClient {
  // A refused change may mean that the session or the role is not what it was; whoever is signed in is asked again.
  const askAgain = () => queries.invalidateQueries({ queryKey: meQuery.queryKey });
  const queries = new QueryClient({
    defaultOptions: {
      // The browser's "offline" says nothing about a service on this machine or network. Without `always` requests would
      // wait for it without end, and a change would be made later, even after its dialog was cancelled.
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
