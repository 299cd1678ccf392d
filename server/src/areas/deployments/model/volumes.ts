import { createHash } from 'node:crypto';
import type { ComposeMount, ComposeService, ComposeVolume } from '../../../compose/index.ts';
import { isInOrAt } from './single-replica.ts';
import type { Stack } from './stack.ts';
import type { VolumeRow } from './volume-store.ts';

/** Not from any file. */
const nowhere = { file: '', line: null };

export const volumeName = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,62}$/;
const longestName = 255;

/** Endings of files that people mount instead of the folder, which fails only when the app starts. */
const fileEnding = /[^/]\.(sqlite3?|db3?|json|ya?ml|toml|ini|env|txt|log|csv|xml)$/i;

/** Normalizes a path. The problem is the rest of a sentence that begins with the name of the field. */
export function readVolumePath(path: string): { path: string } | { problem: string } {
  const names = path.split('/').filter((name) => name && name !== '.');
  if (!names.length || names.includes('..') || names.some((name) => Buffer.byteLength(name) > longestName))
    return { problem: 'must be a folder inside the app, such as data' };
  const plain = `${path.startsWith('/') ? '/' : ''}${names.join('/')}`;
  if (fileEnding.test(plain))
    return {
      problem:
        `must be a folder, and ${plain} is the name of a file. Mount the folder that contains the file; if that is the ` +
        'folder of the app, let the app write the file to a folder of its own, such as data',
    };
  return { path: plain };
}

/** Whether the paths are equal or one contains the other. */
export const pathsClash = (one: string, other: string): boolean =>
  `${one}/`.startsWith(`${other}/`) || `${other}/`.startsWith(`${one}/`);

/** Returns the service that a volume belongs to; undefined if there is none or the choice is ambiguous. */
export function serviceOfVolume({ project }: Pick<Stack, 'project'>, { service }: Pick<VolumeRow, 'service'>) {
  const { services } = project;
  if (service === null) return services.length === 1 ? services[0] : undefined;
  return services.find(({ name }) => name === service);
}

/** Replaces the project's volumes in a stack. A rollback uses today's volumes too. */
export function withVolumes(stack: Stack, rows: readonly VolumeRow[]): Stack {
  const services = stack.project.services.map((service): ComposeService => {
    const own = rows.filter((row) => serviceOfVolume(stack, row)?.name === service.name);
    const others = service.mounts.filter(({ isOfProject }) => !isOfProject);
    return { ...service, mounts: [...others, ...own.map(mountOf)] };
  });
  const others = stack.project.volumes.filter(({ isOfProject }) => !isOfProject);
  const volumes = [...others, ...rows.map(volumeOf)];
  const digests = Object.entries(stack.digests).map(([name, digest]) => {
    const mounts = services.find((service) => service.name === name)?.mounts ?? [];
    return [
      name,
      withMounts(
        digest,
        mounts.filter(({ isOfProject }) => isOfProject),
      ),
    ];
  });
  return { ...stack, project: { ...stack.project, services, volumes }, digests: Object.fromEntries(digests) };
}

export function withoutVolumes(stack: Stack, names: readonly string[]): Stack {
  const isKept = (mount: ComposeMount) =>
    mount.type !== 'volume' || !mount.isOfProject || !names.includes(mount.volume ?? '');
  const services = stack.project.services.map((service) => ({ ...service, mounts: service.mounts.filter(isKept) }));
  return { ...stack, project: { ...stack.project, services } };
}

/** Returns the service and path at which the stack mounts the volume. */
export function mountOfVolume(stack: Stack | undefined, name: string): { service: string; target: string } | undefined {
  for (const service of stack?.project.services ?? [])
    for (const mount of service.mounts)
      if (mount.type === 'volume' && mount.volume === name) return { service: service.name, target: mount.target };
  return undefined;
}

/** Finds a project volume that hides the app's code, if Mooring wrote the Dockerfile and so knows its folder. */
export function volumeOverCode(stack: Stack): { name: string; path: string; directory: string } | undefined {
  const dockerfile = stack.app?.image?.dockerfile;
  if (!dockerfile || !('text' in dockerfile)) return undefined;
  const directory = [...dockerfile.text.matchAll(/^WORKDIR (\S+)$/gm)].at(-1)?.[1];
  for (const mount of stack.project.services.flatMap(({ mounts }) => mounts))
    if (directory && mount.type === 'volume' && mount.isOfProject && isInOrAt(directory, mount.target))
      return { name: mount.volume!, path: mount.target, directory };
  return undefined;
}

const mountOf = ({ name, path, overlap }: VolumeRow): ComposeMount => ({
  type: 'volume',
  volume: name,
  target: path,
  isReadOnly: false,
  subpath: null,
  isCopied: true,
  isOfProject: true,
  ...(overlap && { isShared: true }),
  at: nowhere,
});

const volumeOf = ({ name, engineId }: VolumeRow): ComposeVolume => ({
  name,
  externalName: engineId,
  driver: null,
  driverOptions: {},
  labels: {},
  isOfProject: true,
  at: nowhere,
});

/** Different volumes make a different version of the service. */
function withMounts(digest: string, mounts: readonly ComposeMount[]): string {
  const [own = ''] = digest.split('+');
  if (!mounts.length) return own;
  return `${own}+${createHash('sha256').update(JSON.stringify(mounts)).digest('hex').slice(0, 16)}`;
}
