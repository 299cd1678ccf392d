import { z } from '../../../lib/zod/index.ts';
import {
  idParams,
  isoTime,
  isoTimeOrNull,
  okItem,
  okPage,
  itemResponse,
  pageResponse,
  pageQuery,
  timeField,
} from '../../../http/responses.ts';
import type { Caller } from '../../../http/caller.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import { canSee } from '../../access/port.ts';
import type { Deliveries } from './deliveries.ts';
import { outcomeIn } from './delivery-content.ts';
import type { DeliveryRow } from './delivery-store.ts';
import { receiverPath } from './hook-address.ts';
import { largestBody } from './raw-body.ts';
import type { Receiver } from './receiver.ts';

const text = z.string().nullable();
const Delivery = z
  .object({
    id: z.string(),
    guid: z.string().describe('Delivery id of the git host.'),
    event: z.string(),
    repository: text,
    ref: text,
    commitSha: text,
    status: z.enum(['received', 'handled', 'ignored', 'failed']),
    why: text.describe('Reason of the outcome.'),
    projects: z.array(z.object({ projectId: z.string(), deploymentId: text, why: text })),
    attempts: z.number(),
    receivedAt: timeField,
    handledAt: timeField.nullable(),
  })
  .meta({ id: 'Delivery' });

function present(caller: Caller, row: DeliveryRow): z.input<typeof Delivery> {
  const outcome = outcomeIn(row);
  return {
    id: row.id,
    guid: row.guid,
    event: row.event,
    repository: row.repository,
    ref: row.ref,
    commitSha: row.commitSha,
    status: row.status,
    why: outcome.why,
    projects: outcome.projects.filter(({ projectId }) => canSee(caller, 'project', projectId)),
    attempts: row.attempts,
    receivedAt: isoTime(row.receivedAt),
    handledAt: isoTimeOrNull(row.handledAt),
  };
}

const Receipt = z.object({ status: z.enum(['accepted', 'duplicate', 'ignored']) });

export const deliveryRoutes = (deliveries: Deliveries, receiver: Receiver): Route[] => [
  defineRoute({
    method: 'POST',
    path: receiverPath,
    // The signature is the credential.
    permission: 'public',
    summary: 'Receive webhooks of the git host',
    description: 'Needs the signature of the body with the webhook secret. Deliveries are handled in the background.',
    rawBody: true,
    ownLimit: true,
    bodyLimit: largestBody,
    output: itemResponse(Receipt),
    status: 202,
    handle: async ({ headers, raw, ip }) => okItem({ status: await receiver.receive(headers, raw, ip) }),
  }),
  defineRoute({
    method: 'GET',
    path: '/api/githost/deliveries',
    permission: 'githost:list',
    summary: 'List webhook deliveries, newest first',
    query: z.object(pageQuery),
    output: pageResponse(Delivery),
    async handle({ caller, query }) {
      const { rows, nextCursor } = await deliveries.list(caller, query);
      return okPage(
        rows.map((row) => present(caller, row)),
        nextCursor,
      );
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/githost/deliveries/:id/replay',
    permission: 'githost:write',
    summary: 'Replay a webhook delivery',
    description: 'Commits that were already deployed are not deployed again.',
    params: idParams,
    output: itemResponse(Delivery),
    status: 202,
    handle: async ({ caller, params }) => okItem(present(caller, await deliveries.replay(caller, params.id))),
  }),
];
