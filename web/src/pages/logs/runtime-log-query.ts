import { unwrap } from '@mooring/client';
import { queryOptions } from '@tanstack/react-query';
import { client, lookAgainMs } from '../../api.ts';
import type { LogLine } from './lines.ts';
import { merged, mostLines, sinceOf } from './runtime-lines.ts';

const firstLines = 2000;

/** The output of the running app, or of one service. Each poll requests only new lines. */
export function runtimeLogQuery(deploymentId: string, service: string | undefined) {
  const queryKey = ['deployment', deploymentId, 'runtime-log', service ?? null];
  return queryOptions({
    queryKey,
    queryFn: async ({ client: queries }): Promise<readonly LogLine[]> => {
      const known = queries.getQueryData<readonly LogLine[]>(queryKey) ?? [];
      const tail = known.length ? mostLines : firstLines;
      const query = { kind: 'runtime' as const, tail, since: sinceOf(known), service };
      const params = { path: { id: deploymentId }, query };
      return merged(known, (await unwrap(client.GET('/api/deployments/{id}/logs', { params }))).data);
    },
    refetchInterval: lookAgainMs,
    // Lines never change, and comparing thousands of them every two seconds is wasted work.
    structuralSharing: false,
  });
}
