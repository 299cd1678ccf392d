import { unwrap } from '@mooring/client';
import { useMutation, useMutationState, useQueryClient } from '@tanstack/react-query';
import { client } from '../../api.ts';
import { serverQuery, serversQuery } from '../../server-queries.ts';

/** A test of a server: wherever it was begun, everything on the page knows of it. What it found is in the server itself. */
export function useServerTest(id: string) {
  const queries = useQueryClient();
  const mutationKey = ['server', id, 'test'];
  const test = useMutation({
    mutationKey,
    gcTime: 0,
    mutationFn: async () => (await unwrap(client.POST('/api/servers/{id}/test', { params: { path: { id } } }))).data,
    async onSuccess() {
      // Until its outcome is on the page, the test is not over; the rest may take its time.
      const shown = [serverQuery(id), serversQuery].map(({ queryKey }) => ({ queryKey, exact: true }));
      await Promise.all(shown.map((each) => queries.invalidateQueries(each)));
      void queries.invalidateQueries();
    },
  });
  const last = useMutationState({ filters: { mutationKey }, select: ({ state }) => state }).at(-1);
  return { begin: () => test.mutate(), isPending: last?.status === 'pending', error: last?.error ?? null };
}
