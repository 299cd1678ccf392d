import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import { insidePath } from '../../detect/sub-tree.ts';
import type { ComposeRepository } from '../service.ts';

/** The folder of the source that repositories are fetched into. */
export const repositoriesFolder = '.mooring-repositories';

const host = '[A-Za-z0-9][A-Za-z0-9.-]*';
const path = '[A-Za-z0-9_][A-Za-z0-9._~-]*(?:/[A-Za-z0-9_][A-Za-z0-9._~-]*)*';
/** Network addresses of git without credentials; nothing that git could read as an option. */
const addresses = [
  new RegExp(`^https?://${host}(?::\\d{1,5})?/${path}\\.git$`),
  new RegExp(`^ssh://[A-Za-z0-9_]+@${host}(?::\\d{1,5})?/${path}$`),
  new RegExp(`^[A-Za-z0-9_]+@${host}:${path}$`),
];
const refs = /^[A-Za-z0-9_][A-Za-z0-9._/-]{0,200}$/;

export const isRemote = (written: string): boolean =>
  /^[a-z][a-z+.-]*:\/\/|^[\w-]+@[\w.-]+:|^github\.com\//i.test(written);

/**
 * Reads `https://host/repository.git#ref:folder`, with Docker's short form for GitHub. Returns the repository and the
 * context in it, or a message if this is something else.
 */
export function readRepository(written: string): { repository: ComposeRepository; context: string } | string {
  const [address = '', fragment = ''] = written.split(/#(.*)/s);
  const url = address.startsWith('github.com/') ? `https://${address.replace(/(\.git)?$/, '.git')}` : address;
  if (url.length > 500 || !addresses.some((pattern) => pattern.test(url)))
    return 'must be a folder of the source or a git repository: https://host/path.git, without a password';
  const [ref = '', folder = ''] = fragment.split(/:(.*)/s);
  if (ref && (!refs.test(ref) || ref.includes('..') || ref.includes('//') || /(\.lock|[./])$/.test(ref)))
    return `${ref.slice(0, 60)} is not a branch, tag or commit`;
  const inside = insidePath(posix.join('.', folder));
  if (inside === undefined) return `${folder.slice(0, 60)} is outside the repository`;
  const id = createHash('sha256').update(`${url}#${ref}`).digest('hex').slice(0, 16);
  const own = posix.join(repositoriesFolder, id);
  return { repository: { url, ref: ref || null, folder: own, written }, context: posix.join(own, inside) };
}
