import { z } from '../../../lib/zod/index.ts';
import type { Branch, Repository, SourceKind } from '../../../drivers/githost/githost.ts';
import { isoTime, isoTimeOrNull, timeField } from '../../../http/responses.ts';

const name = z.string().max(100);
export const repositoryParams = z.object({ owner: name, repo: name });
export const organizationParams = z.object({ org: name });

const branchName = z.string().max(255).optional().describe('A branch; default: the default branch.');

export const ListQuery = z.object({ owner: name.optional().describe('Only repositories of this account.') });
export const RepositoryQuery = z.object({
  branches: z.enum(['true', 'false']).optional().describe('`true`: include its branches.'),
});
export const FilesQuery = z.object({
  path: z.string().max(4096).optional().describe('A folder of the repository; default: its root.'),
  branch: branchName,
});
export const FileQuery = z.object({
  file: z.string().min(1).max(4096).default('package.json').describe('Path of the file.'),
  branch: branchName,
});

export const NewRepositoryBody = z.object({
  name: z
    .string()
    .min(1)
    .max(100)
    .regex(/^[\w.-]+$/, { error: 'must be letters, digits, dots, dashes and underscores' })
    .refine((name) => name !== '.' && name !== '..', { error: 'must be a name' }),
  private: z.boolean().default(true),
  owner: z
    .string()
    .max(100)
    .regex(/^[\w.-]+$/, { error: 'must be the name of an account' })
    .optional()
    .describe('An account of the git host; default: the connected account.'),
});

export const GitHostBranch = z
  .object({ name: z.string(), commitSha: z.string(), isProtected: z.boolean() })
  .meta({ id: 'GitHostBranch' });

export const GitHostRepository = z
  .object({
    id: z.number(),
    owner: z.string(),
    name: z.string(),
    fullName: z.string(),
    private: z.boolean(),
    archived: z.boolean(),
    defaultBranch: z.string().nullable().describe('Null before the first push.'),
    description: z.string().nullable(),
    webUrl: z.string(),
    cloneUrl: z.string(),
    pushedAt: timeField.nullable(),
    permissions: z.object({ pull: z.boolean(), push: z.boolean(), admin: z.boolean() }).describe('Of the connection.'),
    source: z.enum(['app', 'oauth', 'cli']).optional().describe('How Mooring accesses it.'),
  })
  .meta({ id: 'GitHostRepository' });

export const RepositoryWithBranches = GitHostRepository.extend({ branches: z.array(GitHostBranch).optional() }).meta({
  id: 'GitHostRepositoryWithBranches',
});

export const GitHostFile = z
  .object({
    name: z.string(),
    path: z.string(),
    type: z.enum(['file', 'directory', 'link', 'submodule']),
    bytes: z.number(),
  })
  .meta({ id: 'GitHostFile' });

export const FileAnswer = z.object({
  success: z.literal(true),
  data: z.unknown().describe('Parsed content of a valid `.json` file; otherwise the text.'),
  format: z.enum(['json', 'text']),
  path: z.string(),
  bytes: z.number(),
});

export const CloneTokenAnswer = z.object({
  token: z.string().describe('Reads this repository only and expires within an hour. Shown only once.'),
  cloneUrl: z.string(),
  command: z.string().describe('Command that clones it, quoted for a POSIX shell.'),
  expiresAt: timeField,
});

type Listed = Repository & { source?: SourceKind };

export const presentRepository = (repository: Listed): z.input<typeof GitHostRepository> => {
  const { isPrivate, isArchived, pushedAt, may, ...rest } = repository;
  return {
    ...rest,
    fullName: `${repository.owner}/${repository.name}`,
    private: isPrivate,
    archived: isArchived,
    pushedAt: isoTimeOrNull(pushedAt),
    permissions: may,
  };
};

export const presentWithBranches = (repository: Listed, branches: Branch[] | undefined) => ({
  ...presentRepository(repository),
  ...(branches && { branches }),
});

export const presentCloneToken = <T extends { expiresAt: number }>({ expiresAt, ...rest }: T) => ({
  ...rest,
  expiresAt: isoTime(expiresAt),
});
