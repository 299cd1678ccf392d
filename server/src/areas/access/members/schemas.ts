import { z } from '../../../lib/zod/index.ts';
import { isoTime, timeField } from '../../../http/responses.ts';
import { Grants, grantsIn } from '../grants.ts';
import { roles } from '../roles.ts';
import type { MemberRow } from './store.ts';

export const RoleName = z.enum(roles);

export const Member = z
  .object({
    id: z.string(),
    userId: z.string(),
    email: z.string(),
    name: z.string(),
    role: RoleName,
    grants: Grants.describe('Grants of a restricted member. Other roles ignore them.'),
    createdAt: timeField,
  })
  .meta({ id: 'Member' });

export const RoleBody = z.object({ role: RoleName });
export const LeaveBody = z.object({ organizationId: z.string().max(100) });
export const GrantsBody = z.object({ grants: Grants });

export const presentMember = (row: MemberRow): z.input<typeof Member> => ({
  id: row.id,
  userId: row.userId,
  email: row.email,
  name: row.name,
  role: row.role,
  grants: grantsIn('members', row),
  createdAt: isoTime(row.createdAt),
});
