import { posix } from 'node:path';
import type { ComposeProject, PathInSource } from '../../../../compose/index.ts';

/**
 * Resolves paths of the machine that are not absolute: `~` is the home folder of Mooring's user there, and a path that
 * leaves the source counts from `~/<project>/source`, since the source itself is elsewhere for each release.
 */
export async function withHostPaths(
  project: ComposeProject,
  { slug, home }: { slug: string; home: () => Promise<string> },
): Promise<ComposeProject> {
  const files = [...project.configs, ...project.secrets].flatMap(({ file }) => file ?? []);
  const binds = project.services.flatMap(({ mounts }) =>
    mounts.flatMap((each) => (each.type === 'bind' ? each.source : [])),
  );
  if (![...files, ...binds].some(isRelative)) return project;
  const folder = await home();
  const resolved = (path: PathInSource): PathInSource =>
    isRelative(path) ? { ...path, path: absolute(path.path, folder, slug) } : path;
  const resolvedFile = <T extends { file: PathInSource | null }>(each: T): T =>
    each.file ? { ...each, file: resolved(each.file) } : each;
  return {
    ...project,
    configs: project.configs.map(resolvedFile),
    secrets: project.secrets.map(resolvedFile),
    services: project.services.map((service) => ({
      ...service,
      mounts: service.mounts.map((mount) =>
        mount.type === 'bind' ? { ...mount, source: resolved(mount.source) } : mount,
      ),
    })),
  };
}

const isRelative = ({ path, isInside }: PathInSource): boolean => !isInside && /^(~(\/|$)|\.\.(\/|$))/.test(path);

const absolute = (path: string, home: string, slug: string): string =>
  path.startsWith('~') ? posix.join(home, path.slice(1)) : posix.join(home, slug, 'source', path);
