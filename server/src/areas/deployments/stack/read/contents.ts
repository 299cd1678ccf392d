import type { ComposeProject } from '../../../../compose/index.ts';
import { StepError } from '../../model/model.ts';
import { contentKey, isOwned, unowned } from '../../contents/key.ts';
import type { Stack } from '../../model/stack.ts';
import type { StackInput } from './input.ts';

/** Stores everything of the source that containers mount. */
export async function storeContents(
  { digestOf, digestOfText }: Pick<StackInput, 'digestOf' | 'digestOfText'>,
  project: ComposeProject,
): Promise<Stack['contents']> {
  const contents: Stack['contents'] = {};
  const keep = async (path: string) => void (contents[path] ??= await digestOf(path));
  for (const { name, mounts } of project.services)
    for (const mount of mounts) {
      if (mount.type !== 'bind' || !mount.source.isInside) continue;
      // A script must be executable.
      const mode = mount.content?.startsWith('#!') ? 0o755 : null;
      if (mount.content === undefined) await keep(mount.source.path);
      else contents[mount.source.path] = await digestOfText(mount.content, { uid: null, gid: null, mode });
      if (contents[mount.source.path] === null && !mount.isCreated)
        throw new StepError(
          'compose_invalid',
          `${mount.at.file}:${mount.at.line}: services.${name}.volumes: ${mount.source.path} does not exist in the source`,
        );
    }
  for (const { section, file, use } of filesOf(project)) {
    const key = contentKey(section, file, use);
    const owned = isOwned(use) ? use : undefined;
    if (file.file?.isInside) contents[key] ??= await digestOf(file.file.path, owned);
    else if (file.content !== null) contents[key] ??= await digestOfText(file.content, owned);
  }
  return contents;
}

/** Returns each use of each config and secret. The builder decides the owner of a build secret. */
function filesOf(project: ComposeProject) {
  const built = project.services.flatMap(({ build }) => build?.secrets ?? []).map((use) => ({ ...use, ...unowned }));
  return (['configs', 'secrets'] as const).flatMap((section) => {
    const uses = [...project.services.flatMap((service) => service[section]), ...(section === 'secrets' ? built : [])];
    return project[section].flatMap((file) =>
      uses.filter(({ source }) => source === file.name).map((use) => ({ section, file, use })),
    );
  });
}
