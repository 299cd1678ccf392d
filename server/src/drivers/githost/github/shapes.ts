import { z } from '../../../lib/zod/index.ts';
import type { Account, Branch, DirectoryEntry, Hook, Repository } from '../githost.ts';

// Schemas of GitHub's responses and their mapping to our types. Unknown fields are ignored.

const time = z
  .string()
  .nullish()
  .transform((text) => Date.parse(text ?? '') || null);

/** Web addresses are built here, not taken from responses, because users and credentials are sent to them. */
export const accountShape = (webUrl: string) =>
  z
    .object({ id: z.number(), login: z.string(), type: z.string().optional(), avatar_url: z.string().nullish() })
    .transform(({ id, login, type, avatar_url }): Account => ({
      id,
      login,
      type: type === 'Organization' ? 'organization' : 'user',
      avatarUrl: avatar_url ?? null,
      webUrl: `${webUrl}/${encodeURIComponent(login)}`,
    }));

export const repositoryShape = (webUrl: string) =>
  z
    .object({
      id: z.number(),
      name: z.string(),
      owner: z.object({ login: z.string() }),
      private: z.boolean(),
      archived: z.boolean().optional(),
      default_branch: z.string().nullish(),
      description: z.string().nullish(),
      pushed_at: time,
      permissions: z.object({ admin: z.boolean(), push: z.boolean(), pull: z.boolean() }).partial().optional(),
    })
    .transform(({ id, name, owner: { login: owner }, permissions: may, ...it }): Repository => ({
      id,
      owner,
      name,
      isPrivate: it.private,
      isArchived: it.archived ?? false,
      defaultBranch: it.default_branch ?? null,
      description: it.description ?? null,
      webUrl: `${webUrl}/${encodeURIComponent(owner)}/${encodeURIComponent(name)}`,
      cloneUrl: cloneAddress(webUrl, { owner, name }),
      pushedAt: it.pushed_at,
      may: { pull: may?.pull ?? true, push: may?.push ?? false, admin: may?.admin ?? false },
    }));

export const cloneAddress = (webUrl: string, { owner, name }: { owner: string; name: string }): string =>
  `${webUrl}/${encodeURIComponent(owner)}/${encodeURIComponent(name)}.git`;

export const branchShape = z
  .object({ name: z.string(), commit: z.object({ sha: z.string() }), protected: z.boolean().optional() })
  .transform(({ name, commit, protected: isProtected }): Branch => ({
    name,
    commitSha: commit.sha,
    isProtected: isProtected ?? false,
  }));

const entryTypes: Record<string, DirectoryEntry['type']> = {
  dir: 'directory',
  symlink: 'link',
  submodule: 'submodule',
};

export const directoryEntryShape = z
  .object({ name: z.string(), path: z.string(), type: z.string(), size: z.number().nullish() })
  .transform(({ name, path, type, size }): DirectoryEntry => ({
    name,
    path,
    type: entryTypes[type] ?? 'file',
    bytes: size ?? 0,
  }));

export const fileContentShape = z.object({
  type: z.string(),
  size: z.number(),
  encoding: z.string().optional(),
  content: z.string().optional(),
});

export const hookShape = z
  .object({
    id: z.number(),
    active: z.boolean(),
    events: z.array(z.string()),
    config: z.object({ url: z.string().optional() }),
  })
  .transform(({ id, active, events, config }): Hook => ({ id, url: config.url ?? '', events, isActive: active }));

export const comparisonShape = z.object({
  files: z.array(z.object({ filename: z.string(), previous_filename: z.string().optional() })).optional(),
});

/** Installation of the app on one account. */
export interface GitHubInstallation {
  id: number;
  /** Null when the account was deleted. */
  account: Account | null;
  hasAllRepositories: boolean;
  suspendedAt: number | null;
}

export const installationShapeOf = (webUrl: string) =>
  z
    .object({
      id: z.number(),
      account: accountShape(webUrl).nullable(),
      repository_selection: z.string().optional(),
      suspended_at: time,
    })
    .transform(({ id, account, repository_selection, suspended_at }): GitHubInstallation => ({
      id,
      account,
      hasAllRepositories: repository_selection === 'all',
      suspendedAt: suspended_at,
    }));

/** Membership of a user in an organization. */
export const membershipOf = (account: ReturnType<typeof accountShape>) =>
  z
    .object({ state: z.string(), role: z.string(), organization: account })
    .transform(({ state, role, organization }) => ({
      isAdmin: state === 'active' && role === 'admin',
      organization: { ...organization, type: 'organization' as const },
    }));

export const registeredApp = z.object({ slug: z.string().regex(/^[\w-]+$/) });

export const installationToken = z.object({ token: z.string().min(1), expires_at: z.string() });
