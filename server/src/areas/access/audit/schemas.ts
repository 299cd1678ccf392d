import { z } from '../../../lib/zod/index.ts';
import { storedJson } from '../../../db/stored-json.ts';
import type { AuditEntryTable } from '../../../db/tables.ts';
import { isoTime, pageQuery, timeField, timeQuery } from '../../../http/responses.ts';

const Details = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]));
const readDetails = storedJson('audit_entries.details', Details);

export const AuditEntry = z
  .object({
    id: z.string(),
    at: timeField,
    actor: z.object({ id: z.string().nullable(), name: z.string(), tokenId: z.string().nullable() }),
    ip: z.string(),
    action: z.string(),
    target: z.object({ id: z.string(), name: z.string().nullable() }).nullable(),
    details: Details,
  })
  .meta({ id: 'AuditEntry' });

export const AuditQuery = z.object({
  ...pageQuery,
  action: z
    .string()
    .max(100)
    .regex(/^[a-z_]+\.[a-z_]*$/, { error: 'must be an action such as token.created, or token.' })
    .optional()
    .describe('One action (`token.created`), or all of a noun (`token.`).'),
  actorId: z.string().max(100).optional().describe('Id of the user who made the change.'),
  targetId: z.string().max(100).optional().describe('Id of the resource that was changed.'),
  from: timeQuery.optional().describe('At or after this time.'),
  to: timeQuery.optional().describe('Before this time.'),
});

export const presentEntry = (row: AuditEntryTable): z.input<typeof AuditEntry> => ({
  id: row.id,
  at: isoTime(row.at),
  actor: { id: row.actorId, name: row.actorName, tokenId: row.tokenId },
  ip: row.ip,
  action: row.action,
  target: row.targetId === null ? null : { id: row.targetId, name: row.targetName },
  details: readDetails(row.details),
});
