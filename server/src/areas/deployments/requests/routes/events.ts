import { z } from '../../../../lib/zod/index.ts';
import { defineRoute, type Route } from '../../../../http/define-route.ts';
import type { OrganizationEvents } from '../organization-events.ts';

export const eventRoutes = (events: OrganizationEvents): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/events',
    permission: 'deployment:list',
    summary: 'Stream changes of the organization as server-sent events',
    description:
      '`ready` comes first: from then on nothing is missed. `deployment` has the id, project, environment, status, decision and ' +
      '`lastSeq` of one that has changed. `backup_policy` has the id, name, project, environment and ' +
      '`health` of one whose health has changed. `change` names what somebody has changed, such as `domain`, and its project, if it ' +
      'has one. Nothing is kept for clients that are away: ask for what you show when you come back.',
    streams: true,
    output: z.unknown(),
    async handle({ caller, stream }) {
      await events.follow(caller, stream);
      return undefined;
    },
  }),
];
