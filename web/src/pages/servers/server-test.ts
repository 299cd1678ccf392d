import { unwrap } from '@mooring/client';
import { useMutation, useMutationState, useQueryClient } from '@tanstack/react-query';
import { client } from '../../api.ts';
import { serverQuery, serversQuery } from '../../server-queries.ts';

/** The test of a server, shared by all components of the page. Its result is part of the server. */
export function useServerTest(id: string) {
  const queries = useQueryClient();
  const mutationKey = ['server', id, 'test'];
  const test = useMutation({
    mutationKey,
    gcTime: 0,
    mutationFn: async () => (await unwrap(client.POST('/api/servers/{id}/test', { params: { path: { id } } }))).data,
    async onSuccess() {
      // The test counts as running until its result is on the page; other queries refresh in the background.
      const shown = [serverQuery(id), serversQuery].map(({ queryKey }) => ({ queryKey, exact: true }));
      await Promise.all(shown.map((each) => queries.invalidateQueries(each)));
      void queries.invalidateQueries();
    },
  });
  const last = useMutationState({ filters: { mutationKey }, select: ({ state }) => state }).at(-1);
  return { begin: () => test.mutate(), isPending: last?.status === 'pending', error: last?.error ?? null };
}
