import { isAbsolute } from 'node:path';
import { z } from '../../../lib/zod/index.ts';
import { hasControl } from '../../../lib/control-characters.ts';

export { hasControl };

/** A path segment of the git host: never an option, never `..`. */
export const HostName = z
  .string()
  .max(100)
  .regex(/^(?!\.\.?$)[A-Za-z0-9_.][A-Za-z0-9_.-]*$/, { error: 'must be a name of letters, digits, dots and dashes' });

/** Never an option, and never another git revision syntax. */
export const BranchName = z.string().max(250).refine(isBranchName, { error: 'must be the name of a branch' });
const branch = BranchName.optional().describe('The default branch of the repository if omitted.');

/** A local folder; whether it may be used is checked on access. */
export const LocalPath = z
  .string()
  .max(1000)
  .refine((path) => isAbsolute(path) && !hasControl(path), { error: 'must be an absolute path' });

/** Where the code of a project comes from. */
export const ProjectSource = z
  .discriminatedUnion(
    'type',
    [
      z.object({ type: z.literal('githost'), owner: HostName, repo: HostName, branch }),
      z.object({ type: z.literal('git'), url: z.string().max(2000).superRefine(checkGitUrl), branch }),
      z.object({ type: z.literal('upload') }),
      z.object({
        type: z.literal('local'),
        path: LocalPath,
      }),
      z.object({ type: z.literal('services') }),
    ],
    { error: 'must be an object whose type is githost, git, upload, local or services' },
  )
  .meta({ id: 'ProjectSource' });

export type ProjectSource = z.output<typeof ProjectSource>;

/** Stored form without the validation of requests, whose rules may have changed since. */
export const StoredProjectSource = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('githost'),
    owner: z.string(),
    repo: z.string(),
    branch: z.string().optional(),
  }),
  z.object({ type: z.literal('git'), url: z.string(), branch: z.string().optional() }),
  z.object({ type: z.literal('upload') }),
  z.object({ type: z.literal('local'), path: z.string() }),
  z.object({ type: z.literal('services') }),
]) satisfies z.ZodType<ProjectSource>;

// The rules of git-check-ref-format, plus no leading dash.
function isBranchName(name: string): boolean {
  if (!name || name.startsWith('-') || hasControl(name) || /[\s~^:?*[\\]|\.\.|@\{|\/\//.test(name)) return false;
  if (name.startsWith('/') || name.endsWith('/') || name.endsWith('.') || name === '@') return false;
  return name.split('/').every((part) => !part.startsWith('.') && !part.endsWith('.lock'));
}

function checkGitUrl(text: string, context: z.RefinementCtx): void {
  const problem = problemOfGitUrl(text);
  if (problem) context.addIssue({ code: 'custom', message: problem });
}

const address = 'must be a git address: https://host/path, http://host/path, ssh://user@host/path or user@host:path';
const scpLike = /^[A-Za-z0-9_.][A-Za-z0-9_.-]*@[A-Za-z0-9][A-Za-z0-9.-]*:(?![-:])[^\s:]+$/;

/**
 * Allows only network protocols of git itself: no files, no remote helpers (`ext::`), nothing that a subprocess would
 * parse as an option.
 */
function problemOfGitUrl(text: string): string | null {
  if (hasControl(text) || /[\s\\]/.test(text) || text.startsWith('-') || text.includes('::')) return address;
  if (!text.includes('://')) return scpLike.test(text) ? null : address;
  const url = URL.parse(text);
  if (!url || !/^(https?|ssh):$/.test(url.protocol)) return address;
  if (url.protocol !== 'ssh:' && (url.username || url.password))
    return 'must not carry credentials; connect the git host, or use ssh';
  if (url.password) return 'must not carry a password';
  if (url.search || url.hash) return 'must not have a query or a fragment';
  const words = [decoded(url.hostname), decoded(url.username), decoded(url.pathname.slice(1))];
  if (!url.hostname || url.pathname.length < 2 || words.some((word) => word === null || word.startsWith('-')))
    return address;
  return null;
}

function decoded(text: string): string | null {
  try {
    const plain = decodeURIComponent(text);
    return hasControl(plain) ? null : plain;
  } catch {
    // An invalid percent escape.
    return null;
  }
}
