import type { ComposeFile, FileUse } from '../../../compose/index.ts';

/** Who a file belongs to in a container, where its service says so. */
export type FileOwnership = Pick<FileUse, 'uid' | 'gid' | 'mode'>;

export const unowned: FileOwnership = { uid: null, gid: null, mode: null };

export const isOwned = ({ uid, gid, mode }: FileOwnership): boolean => [uid, gid, mode].some((value) => value !== null);

/** Under which a stack keeps what a config or a secret holds, for one use of it: the path of its file in the source, or a name
 * that no path can have for a text, and for a file that is given to somebody. */
export function contentKey(
  section: 'configs' | 'secrets',
  { name, file }: Pick<ComposeFile, 'name' | 'file'>,
  use: FileOwnership,
): string {
  if (isOwned(use)) return `//${section}/${name}/${[use.uid, use.gid, use.mode].map((value) => value ?? '').join(':')}`;
  return file ? file.path : `//${section}/${name}`;
}
