import type { ComposeFile } from '../../../compose/index.ts';

/** Under which a stack keeps what a config or a secret holds: the path of its file in the source, or a name that no path can
 * have for one that is a text. */
export const contentKey = (
  section: 'configs' | 'secrets',
  { name, file }: Pick<ComposeFile, 'name' | 'file'>,
): string => (file ? file.path : `//${section}/${name}`);
