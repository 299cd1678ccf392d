import { z } from '../../../lib/zod/index.ts';
import { storedJson } from '../../../db/stored-json.ts';
import { isoTime, isoTimeOrNull, timeField } from '../../../http/responses.ts';
import { allPermissions, type Permission } from '../../../http/permission.ts';
import type { TokenRow } from './store.ts';

const PermissionName = z.string().refine((text): text is Permission => allPermissions.includes(text as Permission), {
  error: ({ input }) => `must be a permission such as deployment:read; there is no ${String(input)}`,
});

export const TokenBody = z.object({
  name: z.string().trim().min(1).max(100),
  permissions: z
    .union([z.literal('*'), z.array(PermissionName).min(1).max(allPermissions.length)], {
      error: 'must be "*" or a list such as ["deployment:read"]',
    })
    .describe('`"*"` for everything you may do, or a list of `<resource>:<action>`.'),
  organizationId: z
    .string()
    .max(100)
    .optional()
    .describe('Another organization of yours; only when signed in by cookie.'),
  expiresInDays: z.number().int().min(1).max(3650).optional(),
});

export const Token = z
  .object({
    id: z.string(),
    name: z.string(),
    prefix: z.string(),
    permissions: z.union([z.literal('*'), z.array(z.string())]),
    holder: z.object({ memberId: z.string(), email: z.string() }),
    createdAt: timeField,
    expiresAt: timeField.nullable(),
    lastUsedAt: timeField.nullable().describe('To the minute.'),
  })
  .meta({ id: 'Token' });

export const CreatedToken = Token.extend({ token: z.string().describe('Shown only once.') }).meta({
  id: 'CreatedToken',
});

const StoredPermissions = z.union([z.literal('*'), z.array(z.enum(allPermissions))]);
const readPermissions = storedJson('tokens.permissions', StoredPermissions);
const knownPermissions = new Map<string, readonly Permission[] | '*'>();

/** Most tokens have one of a few texts. */
export function permissionsIn({ permissions }: Pick<TokenRow, 'permissions'>): readonly Permission[] | '*' {
  const known = knownPermissions.get(permissions);
  if (known) return known;
  const read = Object.freeze(readPermissions(permissions));
  if (knownPermissions.size >= 100) knownPermissions.clear();
  knownPermissions.set(permissions, read);
  return read;
}

export const presentToken = (row: TokenRow): z.input<typeof Token> => ({
  id: row.id,
  name: row.name,
  prefix: row.prefix,
  permissions: permissionsIn(row) as Permission[] | '*',
  holder: { memberId: row.memberId, email: row.email },
  createdAt: isoTime(row.createdAt),
  expiresAt: isoTimeOrNull(row.expiresAt),
  lastUsedAt: isoTimeOrNull(row.lastUsedAt),
});
