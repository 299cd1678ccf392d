import { z } from '../../../lib/zod/index.ts';
import { idParams, okItem, itemResponse } from '../../../http/responses.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import { Cluster, ClusterBody, HeadBody, JoinBody, NodeChange } from './schemas.ts';
import type { Clusters } from './service.ts';

const nodeParams = idParams.extend({ nodeId: z.string().min(1).max(200).describe('Id or host name of the node.') });

export const clusterRoutes = (clusters: Clusters): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/servers/:id/cluster',
    permission: 'server:read',
    summary: 'Show the cluster of a server',
    description: 'Nodes of the Docker Swarm that the server manages, with their roles and state.',
    params: idParams,
    output: itemResponse(Cluster),
    handle: async ({ caller, params }) => okItem(await clusters.get(caller, params.id)),
  }),
  defineRoute({
    method: 'POST',
    path: '/api/servers/:id/cluster',
    permission: 'server:admin',
    summary: 'Create a cluster',
    description:
      'Creates a Docker Swarm on the server, or uses the one that it manages. Projects of the server run on the cluster. Fails while projects run on the server (409).',
    params: idParams,
    body: ClusterBody,
    output: itemResponse(Cluster),
    handle: async ({ caller, params, body }) => okItem(await clusters.create(caller, params.id, body)),
  }),
  defineRoute({
    method: 'POST',
    path: '/api/servers/:id/cluster/nodes',
    permission: 'server:admin',
    summary: 'Add a server to a cluster',
    description: 'Lets another server join as a node. It gets an edge with all routes and certificates.',
    params: idParams,
    body: JoinBody,
    output: itemResponse(Cluster),
    handle: async ({ caller, params, body }) => okItem(await clusters.join(caller, params.id, body)),
  }),
  defineRoute({
    method: 'POST',
    path: '/api/servers/:id/cluster/head',
    permission: 'server:admin',
    summary: 'Change the server of a cluster',
    description:
      'Makes another manager the server of the cluster, which its projects are deployed to. They keep running meanwhile, and the previous server becomes a node. This also works when the previous server does not respond. Fails if the other one is not a manager of the cluster, while something is being deployed, backed up, restored or adopted, or if folders or files that services mount are on the previous server (409); `force` skips only the last check.',
    params: idParams,
    body: HeadBody,
    output: itemResponse(Cluster),
    handle: async ({ caller, params, body }) => okItem(await clusters.changeHead(caller, params.id, body)),
  }),
  defineRoute({
    method: 'PATCH',
    path: '/api/servers/:id/cluster/nodes/:nodeId',
    permission: 'server:admin',
    summary: 'Drain a node or change its role',
    description:
      '`drain` starts everything on other nodes before it stops here. Fails if volumes or files bind something to the node (409), unless `force` is set.',
    params: nodeParams,
    body: NodeChange,
    output: itemResponse(Cluster),
    handle: async ({ caller, params, body }) => okItem(await clusters.change(caller, params.id, params.nodeId, body)),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api/servers/:id/cluster/nodes/:nodeId',
    permission: 'server:admin',
    summary: 'Remove a node from a cluster',
    description:
      'Drains the node, removes the edge there and lets it leave the Swarm. The server stays. Fails if the node has volumes or does not respond (409), unless `force` is set.',
    params: nodeParams,
    query: z.object({
      force: z.stringbool().default(false).describe('Remove it anyway; volumes there are not used any more.'),
    }),
    output: itemResponse(Cluster),
    handle: async ({ caller, params, query }) => okItem(await clusters.remove(caller, params.id, params.nodeId, query)),
  }),
];
