import { z } from '../../../lib/zod/index.ts';
import type { CloudAddress, CloudClient } from '../../../drivers/cloud/cloud-client.ts';
import { AppError, badRequest } from '../../../errors.ts';
import type { Permission } from '../../../http/permission.ts';

const Health = z.object({ mode: z.enum(['self-hosted', 'cloud']) });
const Me = z.object({
  data: z.object({
    user: z.object({ email: z.string().max(400) }),
    organization: z
      .object({ id: z.string().max(100), name: z.string().max(400), permissions: z.array(z.string()) })
      .nullable(),
  }),
});

/** Account and organization of a token. */
export interface CloudAccount {
  email: string;
  organization: { id: string; name: string };
}

/** Permissions that a link needs. */
const needed: readonly Permission[] = ['project:admin', 'deployment:admin', 'githost:read'];
const withinMs = 10_000;

/** Verifies the cloud and the token before it is stored. */
export async function checkCloud(client: CloudClient, address: CloudAddress): Promise<CloudAccount> {
  const health = await client.json(address, { method: 'GET', path: '/api/health', withinMs });
  const found = Health.safeParse(health.body);
  if (!found.success || found.data.mode !== 'cloud')
    throw badRequest('url: there is no Mooring cloud at this address', 'url');
  const me = await client.json(address, { method: 'GET', path: '/api/me', withinMs }).catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'cloud_refused')
      throw badRequest('token: the cloud rejects it', 'token');
    throw error;
  });
  const known = Me.safeParse(me.body);
  if (!known.success) throw badRequest('url: there is no Mooring cloud at this address', 'url');
  const { user, organization } = known.data.data;
  if (!organization) throw badRequest('token: its owner is not a member of any organization there', 'token');
  const missing = needed.filter((permission) => !organization.permissions.includes(permission));
  if (missing.length) throw badRequest(`token: it needs ${missing.join(', ')}`, 'token');
  return { email: user.email, organization: { id: organization.id, name: organization.name } };
}
