import { z } from '../../../../lib/zod/index.ts';
import type { AnnouncedInstallation, AnnouncedRepository } from '../../webhook-events.ts';

export const announcedRepository = z
  .object({
    id: z.number(),
    name: z.string(),
    // In push payloads of old versions, the owner has only a `name`.
    owner: z.object({ login: z.string().optional(), name: z.string().nullish() }),
    default_branch: z.string().nullish(),
  })
  .transform(({ id, name, owner, default_branch: defaultBranch }): AnnouncedRepository => ({
    id,
    name,
    owner: owner.login ?? owner.name ?? '',
    ...(defaultBranch && { defaultBranch }),
  }));

export const fullNameRepository = z.object({ id: z.number(), full_name: z.string() }).transform(({ id, full_name }) => {
  const [owner, name, ...more] = full_name.split('/');
  return owner && name && !more.length ? { id, owner, name } : undefined;
});

export const repositoriesIfPresent = (found: AnnouncedRepository | undefined): AnnouncedRepository[] =>
  found ? [found] : [];

export const accountPayload = z
  .object({ id: z.number(), login: z.string(), type: z.string().optional() })
  .transform(({ id, login, type }): AnnouncedInstallation['account'] => ({
    id,
    login,
    type: type === 'Organization' ? 'organization' : 'user',
  }));

export const installationShape = z.object({ id: z.number(), account: accountPayload });
