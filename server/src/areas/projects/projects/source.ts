import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { hasControl } from '../../../lib/control-characters.ts';

export { hasControl };

/** A word of a host's path: it never looks like an option and never leads up. */
export const HostName = z
  .string()
  .max(100)
  .regex(/^(?!\.\.?$)[A-Za-z0-9_.][A-Za-z0-9_.-]*$/, { error: 'must be a name of letters, digits, dots and dashes' });

/** Never a leading dash, never what git reads as something else. */
export const BranchName = z.string().max(250).refine(isBranchName, { error: 'must be the name of a branch' });
const branch = BranchName.optional().describe('The default branch of the repository if omitted.');

/** A folder of this machine; whether it may be used is decided when it is looked at. */
export const LocalPath = z
  .string()
  .max(1000)
  .refine((path) => isAbsolute(path) && !hasControl(path), { error: 'must be an absolute path' });

/** Where the code of a project comes from. */
export const Source = z
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

export type Source = z.output<typeof Source>;

/** What the database holds, without the rules of requests: they may have been others when it was written. */
export const StoredSource = z.discriminatedUnion('type', [
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
]) satisfies z.ZodType<Source>;

// The rules of git-check-ref-format, and no leading dash: a name that is always safe behind `--`, too.
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

/** Only what git fetches over the network by itself: no files, no helper programs (`ext::`), nothing that a program
 * behind git would take for an option. */
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
    // A stray percent sign: no address that anybody meant.
    return null;
  }
}
