import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type ComposeProject, ComposeError, repositoriesFolder } from '../../../../compose/index.ts';
import { removeTree } from '../../../../lib/remove-tree.ts';
import type { StackInput } from './input.ts';

const most = 20;

/** Fetches the repositories that services are built from into the source, where they are contexts like any other. */
export async function fetchGitContexts(
  { folder, fetchContext }: Pick<StackInput, 'folder' | 'fetchContext'>,
  { services }: ComposeProject,
): Promise<void> {
  const wanted = new Map(
    services.flatMap(({ build }) =>
      build?.repository ? [[build.repository.folder, { ...build.repository, at: build.at }]] : [],
    ),
  );
  if (!wanted.size) return;
  const extra = [...wanted.values()][most];
  if (extra) throw new ComposeError([{ ...extra.at, message: `build: more than ${most} repositories` }]);
  // The source itself may have such a folder, or a link.
  await removeTree(join(folder, repositoriesFolder));
  for (const { folder: path, url, ref } of wanted.values()) {
    await mkdir(join(folder, path), { recursive: true });
    await fetchContext(join(folder, path), { url, ref });
  }
}
