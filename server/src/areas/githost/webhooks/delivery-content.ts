import { z } from '../../../lib/zod/index.ts';
import { storedJson } from '../../../db/stored-json.ts';
import type { GitHostEvent } from '../../../drivers/githost/webhook-events.ts';
import type { DeliveryRow } from './delivery-store.ts';
import { DeliveryOutcome } from './listener.ts';

const repository = z.object({
  id: z.number(),
  owner: z.string(),
  name: z.string(),
  defaultBranch: z.string().optional(),
});
const installation = z.object({
  id: z.number(),
  account: z.object({ id: z.number(), login: z.string(), type: z.enum(['user', 'organization']) }),
});
const ref = z.object({ kind: z.enum(['branch', 'tag']), name: z.string() });
const sha = z.string().nullable();

const StoredEvent = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('push'),
    repository,
    installationId: z.number().nullable(),
    ref,
    commitSha: sha,
    beforeSha: sha,
    message: z.string(),
    pusher: z.string(),
    changedFiles: z.array(z.string()),
    hasAllFiles: z.boolean(),
    isDeleted: z.boolean(),
    isForced: z.boolean(),
  }),
  z.object({ type: z.literal('ping'), hookId: z.number().nullable(), repository: repository.nullable() }),
  z.object({ type: z.enum(['ref_created', 'ref_deleted']), repository, ref }),
  z.object({
    type: z.literal('installation'),
    action: z.enum(['created', 'deleted', 'suspended', 'resumed', 'renamed', 'changed']),
    installation,
  }),
  z.object({
    type: z.literal('repositories'),
    installation,
    added: z.array(repository),
    removed: z.array(repository),
  }),
  z.object({ type: z.literal('other'), name: z.string() }),
]) satisfies z.ZodType<GitHostEvent>;

const readEvent = storedJson('githost_deliveries.content', StoredEvent);
const readOutcome = storedJson('githost_deliveries.outcome', DeliveryOutcome);

export const eventIn = ({ content }: Pick<DeliveryRow, 'content'>): GitHostEvent => readEvent(content);

/** Returns the outcome of a delivery so far. */
export const outcomeIn = ({ outcome }: Pick<DeliveryRow, 'outcome'>): DeliveryOutcome =>
  readOutcome(outcome) ?? { why: null, projects: [] };
