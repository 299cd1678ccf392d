import { ApiError, unwrap } from '@mooring/client';
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { redirect, useRouter } from '@tanstack/react-router';
import { client, meQuery, setupQuery } from './api.ts';
import { chooseOrganization } from './organization-choice.ts';
import { paths, safeReturn, toSignIn } from './paths.ts';
import { forgetSessionProof, keepSessionProof } from './session-proof.ts';

/** Redirects to the sign-in page, and back afterwards, unless there is a session. */
export async function requireSession(queries: QueryClient, here: string): Promise<void> {
  try {
    await queries.ensureQueryData(meQuery);
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) throw redirect(toSignIn(here));
    throw error;
  }
}

/** Queries the service, since the cached session may be the one that just ended. */
export async function leaveIfSignedIn(next: string | undefined): Promise<void> {
  const { response } = await client.GET('/api/me').catch(() => ({ response: undefined }));
  if (response?.ok) throw redirect({ href: safeReturn(next) });
}

/** After any kind of sign-in: clears the previous person's data and navigates on. */
export function useEnter() {
  const queries = useQueryClient();
  const router = useRouter();
  return (sessionProof: string, next?: string, organizationId?: string) => {
    keepSessionProof(sessionProof);
    if (organizationId) chooseOrganization(organizationId);
    queries.clear();
    router.history.replace(safeReturn(next));
  };
}

/** Drops the data of the person who was signed in; queries of the sign-in page remain. */
export const forgetPerson = (queries: QueryClient): void =>
  queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== setupQuery.queryKey[0] });

export function useSignOut() {
  const queries = useQueryClient();
  const router = useRouter();
  return async () => {
    await unwrap(client.POST('/api/auth/sign-out'));
    forgetSessionProof();
    await router.navigate(toSignIn());
    forgetPerson(queries);
  };
}

export function useSwitchOrganization() {
  const queries = useQueryClient();
  const router = useRouter();
  return async (id: string | undefined) => {
    await queries.cancelQueries();
    chooseOrganization(id);
    await queries.fetchQuery({ ...meQuery, staleTime: 0 });
    await router.navigate({ to: paths.overview });
    await queries.resetQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'me' });
  };
}
