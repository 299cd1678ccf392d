import { posix } from 'node:path';
import { insidePath } from '../../../detect/sub-tree.ts';
import { isSshAddress, type RunGit } from '../../../lib/git/git.ts';

/** A submodule at the commit that the repository names. */
export type Submodule = { path: string; url: string; commitSha: string };

/** Returns the submodules of the commit that is checked out. */
export async function submodulesIn(git: RunGit, folder: string, parent: string): Promise<Submodule[]> {
  const listing = ['config', '-z', '--blob', 'HEAD:.gitmodules', '--get-regexp', '^submodule\\..*\\.(path|url)$'];
  // It fails without such a file.
  const { code, stdout } = await git(listing, folder);
  if (code !== 0) return [];
  const modules = new Map<string, { path?: string; url?: string }>();
  for (const line of stdout.split('\0').filter(Boolean)) {
    const [, name = '', key = '', value = ''] = /^([^]*)\.(path|url)\n([^]*)$/.exec(line) ?? [];
    modules.set(name, { ...modules.get(name), [key]: value });
  }
  const named = [...modules.values()].flatMap(({ path = '', url }) => {
    const inside = insidePath(path);
    return inside && !inside.startsWith('-') && url ? [{ path: inside, url: absoluteAddress(url, parent) }] : [];
  });
  if (!named.length) return [];
  const { stdout: entries } = await git(['ls-tree', '-z', 'HEAD', ...named.map(({ path }) => path)], folder);
  // Only what the commit has as a submodule: anything else could be a link.
  const commits = [...entries.matchAll(/160000 commit ([0-9a-f]{40})\t([^\0]+)\0/g)];
  const shaOf = new Map(commits.map(([, sha, path]) => [path!, sha!]));
  return named.flatMap((each) => (shaOf.has(each.path) ? [{ ...each, commitSha: shaOf.get(each.path)! }] : []));
}

/** Resolves `../theme.git` against the address of the repository. */
export function absoluteAddress(url: string, parent: string): string {
  if (!/^\.\.?\//.test(url)) return url;
  const [, host = '', path = ''] = /^([a-z]+:\/\/[^/]+|[^:/]+:)(.*)$/.exec(parent) ?? [];
  const joined = posix.join('/', path, url);
  return host.endsWith(':') ? host + joined.slice(1) : host + joined;
}

/** Returns the public address of a repository for which there is no key: `git@github.com:owner/name.git`. */
export function publicAddress(url: string): string {
  if (!isSshAddress(url)) return url;
  const [, host, path] = /^(?:ssh:\/\/)?[\w-]+@([\w.-]+)(?::(?=\D)|:\d+\/|\/)\/*(.+)$/.exec(url) ?? [];
  return host && path ? `https://${host}/${path}` : url;
}
