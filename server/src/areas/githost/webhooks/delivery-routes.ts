import { z } from 'zod';
import { idParams, isoTime, isoTimeOrNull, ok, okPage, one, page, pageQuery, time } from '../../../http/answers.ts';
import type { Caller } from '../../../http/caller.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import { seesOne } from '../../access/port.ts';
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
    guid: z.string().describe('What the git host calls it.'),
    event: z.string(),
    repository: text,
    ref: text,
    commitSha: text,
    status: z.enum(['received', 'handled', 'ignored', 'failed']),
    why: text.describe('Why it came to this, where that has to be said.'),
    projects: z.array(z.object({ projectId: z.string(), deploymentId: text, why: text })),
    attempts: z.number(),
    receivedAt: time,
    handledAt: time.nullable(),
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
    projects: outcome.projects.filter(({ projectId }) => seesOne(caller, 'project', projectId)),
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
    summary: 'Where the git host announces pushes',
    description: 'Needs a signature of the body by the secret of the webhook. What it asks for is done afterwards.',
    rawBody: true,
    ownLimit: true,
    bodyLimit: largestBody,
    output: one(Receipt),
    status: 202,
    handle: async ({ headers, raw, ip }) => ok({ status: await receiver.receive(headers, raw, ip) }),
  }),
  defineRoute({
    method: 'GET',
    path: '/api/githost/deliveries',
    permission: 'githost:list',
    summary: 'What the git host has announced, newest first',
    query: z.object(pageQuery),
    output: page(Delivery),
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
    summary: 'Handle an announcement once more',
    description: 'A commit that was deployed already is not deployed again.',
    params: idParams,
    output: one(Delivery),
    status: 202,
    handle: async ({ caller, params }) => ok(present(caller, await deliveries.replay(caller, params.id))),
  }),
];
