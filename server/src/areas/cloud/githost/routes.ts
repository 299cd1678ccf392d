import { z } from '../../../lib/zod/index.ts';
import { storedJson } from '../../../db/stored-json.ts';
import { isoTime, isoTimeOrNull, okItem } from '../../../http/responses.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import type { ConnectForLinked } from '../../githost/port.ts';
import { type GitHostAppLending, requireAccessToAllRepositories } from './lending.ts';
import type { DeliveryQueue } from './queue.ts';
import {
  ConnectForLinkedAnswer,
  ConnectForLinkedBody,
  DeliveriesAnswer,
  DeliveriesQuery,
  LentOverviewAnswer,
  LentTokenAnswer,
  LentTokenBody,
  TokenParams,
} from './schemas.ts';

const readContent = storedJson('cloud_deliveries.content', z.record(z.string(), z.unknown()));

type Parts = { forLinked: ConnectForLinked; lending: GitHostAppLending; queue: DeliveryQueue; host: string };

/** Routes for linked instances without an app. */
export const lendingRoutes = ({ forLinked, lending, queue, host }: Parts): Route[] => [
  defineRoute({
    method: 'POST',
    path: '/api/cloud/githost/connect',
    permission: 'githost:write',
    mode: 'cloud',
    summary: 'Start connecting the git host for a linked instance',
    body: ConnectForLinkedBody,
    output: ConnectForLinkedAnswer,
    handle: async ({ caller, body }) => ({ url: await forLinked.begin(caller, body.source, body.returnUrl) }),
  }),
  defineRoute({
    method: 'GET',
    path: '/api/cloud/githost/installations',
    permission: 'githost:read',
    mode: 'cloud',
    summary: 'List installations of the app in the organization',
    output: LentOverviewAnswer,
    async handle({ caller }) {
      const found = await lending.installations(caller);
      const installations = found.map((row) => ({
        id: row.installationId,
        account: { id: row.accountId, login: row.accountLogin, type: row.accountType },
        suspendedAt: isoTimeOrNull(row.suspendedAt),
      }));
      return okItem({ host, installUrl: await forLinked.installUrl(), installations });
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/cloud/githost/installations/:id/token',
    permission: 'githost:read',
    mode: 'cloud',
    summary: 'Create an installation token of the app',
    description: 'Expires within an hour. Without `githost:admin` it can only read contents.',
    params: TokenParams,
    body: LentTokenBody,
    output: LentTokenAnswer,
    async handle({ caller, params, body }) {
      const { value, expiresAt } = await lending.token(caller, params.id, narrowingIn(body));
      return okItem({ token: value, expiresAt: isoTime(expiresAt) });
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/cloud/githost/deliveries',
    permission: 'githost:read',
    mode: 'cloud',
    summary: 'Follow the webhook deliveries of the app',
    description: 'Waits for new deliveries. Deliveries are kept for three days, at most 2,000 of them.',
    query: DeliveriesQuery,
    output: DeliveriesAnswer,
    async handle({ caller, query }) {
      requireAccessToAllRepositories(caller);
      const { rows, next, missed } = await queue.read(caller.organization.id, query.after, query.wait * 1000);
      const data = rows.map(({ guid, digest, content, createdAt }) => ({
        id: guid,
        digest,
        event: readContent(content),
        receivedAt: isoTime(createdAt),
      }));
      return { success: true as const, data, next, missed };
    },
  }),
];

const narrowingIn = ({ repositories, permissions }: z.output<typeof LentTokenBody>) => ({
  ...(repositories && { repositories }),
  ...(permissions && { permissions }),
});
