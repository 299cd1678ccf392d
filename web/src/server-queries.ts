import { ApiError, type Schemas, unwrap } from '@mooring/client';
import { queryOptions } from '@tanstack/react-query';
import { client } from './api.ts';

export type Server = Schemas['Server'];
export type ServerCheck = Schemas['ServerCheck'];
export type ClusterNode = Schemas['ClusterNode'];
export type Stack = Schemas['Stack'];
export type FoundService = Schemas['StackService'];
export type Adoption = Schemas['Adoption'];
export type Plan = Schemas['Plan'];

export const serversQuery = queryOptions({
  queryKey: ['servers'],
  queryFn: async () => (await unwrap(client.GET('/api/servers'))).data,
});

export const serverQuery = (id: string) =>
  queryOptions({
    queryKey: ['server', id],
    queryFn: async () => (await unwrap(client.GET('/api/servers/{id}', { params: { path: { id } } }))).data,
  });

/** The state of nodes changes without an event. */
export const clusterQuery = (serverId: string) =>
  queryOptions({
    queryKey: ['server', serverId, 'cluster'],
    queryFn: async () =>
      (await unwrap(client.GET('/api/servers/{id}/cluster', { params: { path: { id: serverId } } }))).data,
    refetchInterval: 5000,
  });

/** The containers on a server. A failed scan is retried only on request. */
export const scanQuery = (serverId: string) =>
  queryOptions({
    queryKey: ['server', serverId, 'scan'],
    queryFn: async () => (await unwrap(client.POST('/api/migration/scan', { body: { serverId } }))).stack,
    retry: false,
    refetchOnWindowFocus: false,
    staleTime: 60_000,
  });

/** The adoption of a project; null for other projects. */
export const adoptionQuery = (projectId: string) =>
  queryOptions({
    queryKey: ['project', projectId, 'adoption'],
    queryFn: async () => {
      try {
        return (await unwrap(client.GET('/api/migration/{projectId}', { params: { path: { projectId } } }))).data;
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return null;
        throw error;
      }
    },
  });

/** The effect of the next production deployment on each service. */
export const planQuery = (projectId: string) =>
  queryOptions({
    queryKey: ['project', projectId, 'plan'],
    queryFn: async () => (await unwrap(client.POST('/api/deployments/plan', { body: { projectId } }))).data,
    retry: false,
    refetchOnWindowFocus: false,
  });
