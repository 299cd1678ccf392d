import { unwrap } from '@mooring/client';
import { queryOptions } from '@tanstack/react-query';
import { client, lookAgainMs } from '../../api.ts';
import { merged, mostLines, type ShownLine, sinceOf } from './log-lines.ts';

/** Output of the running app, or of one service. Each poll asks only for lines that are new. */
export function runtimeLogQuery(deploymentId: string, service: string | undefined) {
  const queryKey = ['deployment', deploymentId, 'runtime-log', service ?? null];
  return queryOptions({
    queryKey,
    queryFn: async ({ client: queries }): Promise<readonly ShownLine[]> => {
      const known = queries.getQueryData<readonly ShownLine[]>(queryKey) ?? [];
      const query = { kind: 'runtime' as const, tail: mostLines, since: sinceOf(known), service };
      const params = { path: { id: deploymentId }, query };
      return merged(known, (await unwrap(client.GET('/api/deployments/{id}/logs', { params }))).data);
    },
    refetchInterval: lookAgainMs,
    // Lines never change, and comparing thousands of them every two seconds is work for nothing.
    structuralSharing: false,
  });
}
