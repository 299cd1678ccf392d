import { ApiError, unwrap } from '@mooring/client';
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { redirect, useRouter } from '@tanstack/react-router';
import { client, meQuery, setupQuery } from './api.ts';
import { chooseOrganization } from './organization-choice.ts';
import { paths, safeReturn, toSignIn } from './paths.ts';
import { forgetSessionProof, keepSessionProof } from './session-proof.ts';

/** Lets a page show only to somebody who is signed in; others sign in first and come back. */
export async function requireSession(queries: QueryClient, here: string): Promise<void> {
  try {
    await queries.ensureQueryData(meQuery);
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) throw redirect(toSignIn(here));
    throw error;
  }
}

/** Asks the service itself, since what is remembered may be what just ended. */
export async function leaveIfSignedIn(next: string | undefined): Promise<void> {
  const { response } = await client.GET('/api/me').catch(() => ({ response: undefined }));
  if (response?.ok) throw redirect({ href: safeReturn(next) });
}

/** After a sign-in of any kind: forgets whoever was here before and goes on. */
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

/** Drops what belongs to whoever was signed in; what the sign-in page itself asks for stays. */
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
