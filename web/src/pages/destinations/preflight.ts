import { unwrap } from '@mooring/client';
import { useMutationState, useQueryClient } from '@tanstack/react-query';
import { client } from '../../api.ts';
import { type Destination, destinationsQuery, type Preflight } from '../../destination-queries.ts';
import { useResourcePermissions } from '../../permissions.ts';

const keyOf = (id: string) => ['backup-destination', id, 'preflight'];

/** Runs the preflight of stored destinations. The result becomes part of the destination. */
export function useBeginPreflight() {
  const queries = useQueryClient();
  return (id: string) => {
    const run = queries.getMutationCache().build(queries, {
      mutationKey: keyOf(id),
      mutationFn: async (): Promise<Preflight> => {
        const params = { path: { id } };
        const outcome = await unwrap(client.POST('/api/backup-destinations/{id}/preflight', { params }));
        await queries.invalidateQueries(destinationsQuery);
        return outcome;
      },
    });
    // The error is shown beside the destination.
    void run.execute(undefined).catch(() => undefined);
  };
}

/** The latest preflight of a destination, wherever on the page it was started. */
export function usePreflight(id: string) {
  const last = useMutationState({ filters: { mutationKey: keyOf(id) }, select: ({ state }) => state }).at(-1);
  return {
    isPending: last?.status === 'pending',
    error: last?.error ?? null,
    code: (last?.data as Preflight | undefined)?.code,
  };
}

/** The preflight of a destination on a server uses the server's credentials, so it needs write access to both. */
export function useMayTest(): (destination: Destination) => boolean {
  const mayOn = useResourcePermissions();
  return ({ id, serverId }) =>
    mayOn('backup_destination', id, 'write') && (serverId === null || mayOn('server', serverId, 'write'));
}
