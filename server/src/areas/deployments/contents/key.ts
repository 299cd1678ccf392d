import type { ComposeFile, FileUse } from '../../../compose/index.ts';

/** Owner and mode of a file in a container, if its service declares them. */
export type FileOwnership = Pick<FileUse, 'uid' | 'gid' | 'mode'>;

export const unowned: FileOwnership = { uid: null, gid: null, mode: null };

export const isOwned = ({ uid, gid, mode }: FileOwnership): boolean => [uid, gid, mode].some((value) => value !== null);

/**
 * Returns the key of a config's or secret's content in a stack: the path of its file in the source, or a name that no
 * path can have for an inline text or a file with an explicit owner.
 */
export function contentKey(
  section: 'configs' | 'secrets',
  { name, file }: Pick<ComposeFile, 'name' | 'file'>,
  use: FileOwnership,
): string {
  if (isOwned(use)) return `//${section}/${name}/${[use.uid, use.gid, use.mode].map((value) => value ?? '').join(':')}`;
  return file ? file.path : `//${section}/${name}`;
}
