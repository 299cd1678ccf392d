import { lstat, realpath } from 'node:fs/promises';
import { join, posix, relative } from 'node:path';
import { ComposeError, type ComposeProject, type SourceLine, type ComposeProblem } from '../../../../compose/index.ts';

/** A path of the source that Mooring will open. */
export interface UsedPath {
  path: string;
  field: string;
  at: SourceLine;
}

/** Returns every path of the source that a project refers to. */
export function usedPaths(project: ComposeProject): UsedPath[] {
  const services = project.services.flatMap(({ name, mounts, build, app, at }): UsedPath[] => {
    const binds = mounts.flatMap((mount) =>
      mount.type === 'bind' && mount.source.isInside
        ? [{ path: mount.source.path, field: `services.${name}.volumes`, at: mount.at }]
        : [],
    );
    const apps = app ? [{ path: app.rootDirectory, field: `services.${name}.rootDirectory`, at }] : [];
    if (!build?.context.isInside) return [...binds, ...apps];
    const { context, dockerfile, dockerfileInline, additionalContexts } = build;
    const own = dockerfileInline === null ? [posix.join(context.path, dockerfile ?? 'Dockerfile')] : [];
    const others = additionalContexts.flatMap(({ from }) => ('path' in from && from.isInside ? [from.path] : []));
    const paths = [context.path, ...own, ...others];
    return [...binds, ...apps, ...paths.map((path) => ({ path, field: `services.${name}.build`, at: build.at }))];
  });
  const files = (['configs', 'secrets'] as const).flatMap((section) =>
    project[section].flatMap(({ name, file, at }) =>
      file?.isInside ? [{ path: file.path, field: `${section}.${name}`, at }] : [],
    ),
  );
  return [...services, ...files];
}

/** Rejects links that lead out of the source and would expose files of the machine. Missing paths are fine here. */
export async function requireLinksInside(folder: string, project: ComposeProject): Promise<void> {
  const root = await realpath(folder);
  const problems: ComposeProblem[] = [];
  for (const { path, field, at } of usedPaths(project)) {
    const wrong = await leadsOut(root, path);
    if (wrong) problems.push({ ...at, message: `${field}: ${path || '.'} ${wrong}` });
  }
  if (problems.length) throw new ComposeError(problems);
}

async function leadsOut(root: string, path: string): Promise<string | undefined> {
  // Checks every segment: the target of a link may not exist yet.
  const parts = path.split('/').filter(Boolean);
  for (const [i] of parts.entries()) {
    const place = join(root, ...parts.slice(0, i + 1));
    const stats = await lstat(place).catch(ifAbsent);
    if (!stats) return undefined;
    if (!stats.isSymbolicLink()) continue;
    const real = await realpath(place).catch(ifAbsent);
    if (real === undefined) return 'goes through a broken symbolic link';
    if (/^\.\.(\/|$)/.test(relative(root, real))) return 'goes through a symbolic link that leaves the source';
  }
  return undefined;
}

function ifAbsent(error: NodeJS.ErrnoException): undefined {
  if (!['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG'].includes(error.code!)) throw error;
}
