import { z } from '../../../../lib/zod/index.ts';
import type { PushEvent, GitRef } from '../../webhook-events.ts';
import { announcedRepository } from './payload-shapes.ts';

/** GitHub truncates longer lists. */
const mostCommits = 2048;
const longestMessage = 2000;
const noCommit = /^0+$/;

const paths = z.array(z.string()).optional();
const sha = z.string().regex(/^[0-9a-f]{40,64}$/);

const payload = z.object({
  ref: z.string(),
  before: sha,
  after: sha,
  created: z.boolean().optional(),
  deleted: z.boolean().optional(),
  forced: z.boolean().optional(),
  repository: announcedRepository,
  installation: z.object({ id: z.number() }).nullish(),
  head_commit: z.object({ message: z.string() }).nullish(),
  pusher: z.object({ name: z.string().optional() }).nullish(),
  commits: z.array(z.object({ id: z.string(), added: paths, removed: paths, modified: paths })).optional(),
});

export const pushPayload = payload.transform((it, context): PushEvent => {
  const ref = refOf(it.ref);
  if (!ref) {
    context.addIssue({ code: 'custom', path: ['ref'], message: 'neither a branch nor a tag' });
    return z.NEVER;
  }
  const isDeleted = it.deleted ?? noCommit.test(it.after);
  const { commits = [] } = it;
  const files = commits.flatMap(({ added = [], removed = [], modified = [] }) => [...added, ...removed, ...modified]);
  // For a new or force-pushed branch, the listed commits do not cover all changes.
  const isPlain = !it.created && !it.forced && !isDeleted;
  const isWhole = commits.length > 0 && commits.length < mostCommits && commits.at(-1)!.id === it.after;
  return {
    type: 'push',
    repository: it.repository,
    installationId: it.installation?.id ?? null,
    ref,
    commitSha: isDeleted ? null : it.after,
    beforeSha: noCommit.test(it.before) ? null : it.before,
    message: (it.head_commit?.message ?? '').slice(0, longestMessage),
    pusher: it.pusher?.name ?? '',
    changedFiles: [...new Set(files)],
    hasAllFiles: isPlain && isWhole && commits.every(({ added, removed, modified }) => added && removed && modified),
    isDeleted,
    isForced: it.forced ?? false,
  };
});

function refOf(ref: string): GitRef | undefined {
  const [, kind, name] = /^refs\/(heads|tags)\/(.+)$/s.exec(ref) ?? [];
  return name ? { kind: kind === 'heads' ? 'branch' : 'tag', name } : undefined;
}
