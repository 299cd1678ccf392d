import { unwrap } from '@mooring/client';
import { queryOptions } from '@tanstack/react-query';
import { client } from './api.ts';

const fetchContainers = async (id: string) =>
  (await unwrap(client.GET('/api/deployments/{id}/info', { params: { path: { id } } }))).data.containers;

const fetchUsage = async (id: string) =>
  (await unwrap(client.GET('/api/deployments/{id}/usage', { params: { path: { id } } }))).data.containers;

/** One replica of a service: a container, or a process. */
export type Container = Awaited<ReturnType<typeof fetchContainers>>[number];
export type ContainerUsage = Awaited<ReturnType<typeof fetchUsage>>[number];

export const containersQuery = (deploymentId: string) =>
  queryOptions({
    queryKey: ['deployment', deploymentId, 'containers'],
    queryFn: () => fetchContainers(deploymentId),
  });

export const usageQuery = (deploymentId: string) =>
  queryOptions({ queryKey: ['deployment', deploymentId, 'usage'], queryFn: () => fetchUsage(deploymentId) });
