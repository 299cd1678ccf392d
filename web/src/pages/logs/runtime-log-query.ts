import { unwrap } from '@mooring/client';
import { queryOptions } from '@tanstack/react-query';
import { client, deploymentPollMs } from '../../api.ts';
import type { LogLine } from './lines.ts';
import { mergeLogLines, mostLines, logSince } from './runtime-lines.ts';

const firstLines = 2000;

/** The output of the running app, or of one service. Each poll requests only new lines. */
export function runtimeLogQuery(deploymentId: string, service: string | undefined) {
  const queryKey = ['deployment', deploymentId, 'runtime-log', service ?? null];
  return queryOptions({
    queryKey,
    queryFn: async ({ client: queries }): Promise<readonly LogLine[]> => {
      const known = queries.getQueryData<readonly LogLine[]>(queryKey) ?? [];
      const tail = known.length ? mostLines : firstLines;
      const query = { kind: 'runtime' as const, tail, since: logSince(known), service };
      const params = { path: { id: deploymentId }, query };
      return mergeLogLines(known, (await unwrap(client.GET('/api/deployments/{id}/logs', { params }))).data);
    },
    refetchInterval: deploymentPollMs,
    // Lines never change, and comparing thousands of them every two seconds is wasted work.
    structuralSharing: false,
  });
}
