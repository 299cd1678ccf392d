import { posix } from 'node:path';
import type { ServiceMount, StackVolume } from '../../../../drivers/runtime/runtime.ts';
import type { ComposeMount, ComposeProject, ComposeService, FileUse } from '../../../../compose/index.ts';
import { contentKey } from '../../contents/key.ts';
import { contentDigestOf, type Stack } from '../../model/stack.ts';

/**
 * Returns the path on the machine for a path of the source (or the key of a text), given the digest of its content and
 * whether the container may write there.
 */
export type MountPath = (path: string, digest: string | null, isWritable: boolean) => string;

/**
 * Returns all mounts of a service except those that its image declares. For the same target, its own mounts win, and
 * the first of them.
 */
export function mountsOf(stack: Stack, service: ComposeService, at: MountPath): ServiceMount[] {
  const own = ownMounts(stack, service, at);
  const borrowed = borrowedMounts(stack, service, at, new Set([service.name]));
  const socket = '/var/run/docker.sock';
  const engine: ServiceMount[] = service.isolation.hasEngineSocket
    ? [{ type: 'bind', path: socket, target: socket, isReadOnly: false, propagation: null }]
    : [];
  const all = [...own, ...borrowed, ...engine];
  return all.filter((mount, i) => all.findIndex(({ target }) => target === mount.target) === i);
}

const unnamed: StackVolume = { name: null, externalName: null, driver: null, driverOptions: {}, labels: {} };

function ownMounts(stack: Stack, service: ComposeService, at: MountPath): ServiceMount[] {
  return [
    ...service.mounts.map((mount) => mountOf(stack, service, mount, at)),
    ...service.tmpfs.map(tmpfsOf),
    ...service.configs.map((use) => fileOf(stack, service.name, 'configs', use, at)),
    ...service.secrets.map((use) => fileOf(stack, service.name, 'secrets', use, at)),
  ];
}

function mountOf(stack: Stack, service: ComposeService, mount: ComposeMount, at: MountPath): ServiceMount {
  const { target, isReadOnly } = mount;
  if (mount.type === 'tmpfs')
    return { type: 'tmpfs', target, isReadOnly, sizeBytes: mount.sizeBytes, mode: mount.mode };
  if (mount.type === 'bind') {
    const { source, propagation } = mount;
    const path = source.isInside
      ? at(source.path, contentDigestOf(stack, service.name, source.path), !isReadOnly)
      : posix.normalize(source.path);
    return { type: 'bind', target, isReadOnly, path, propagation };
  }
  const { project } = stack;
  const { subpath, isCopied } = mount;
  const volume = volumeOf(project, mount.volume ?? sharedName(project, service, target));
  return { type: 'volume', target, isReadOnly, volume, subpath, isCopied };
}

/** An anonymous volume belongs to its service alone; if others mount it with `volumes_from`, it needs a name. */
function sharedName({ services }: ComposeProject, { name }: ComposeService, target: string): string | null {
  const isShared = services.some(({ volumesFrom }) => volumesFrom.some(({ service }) => service === name));
  return isShared ? `from.${name}${target.replaceAll(/[^A-Za-z0-9.]+/g, '-')}` : null;
}

function volumeOf({ volumes }: ComposeProject, name: string | null): StackVolume {
  const declared = name === null ? undefined : volumes.find((volume) => volume.name === name);
  if (!declared) return { ...unnamed, name };
  const { externalName, driver, driverOptions, labels } = declared;
  return { name, externalName, driver, driverOptions, labels };
}

/** Configs and secrets are always read-only. */
function fileOf(
  stack: Stack,
  service: string,
  section: 'configs' | 'secrets',
  use: FileUse,
  at: MountPath,
): ServiceMount {
  const held = stack.project[section].find(({ name }) => name === use.source)!;
  const key = contentKey(section, held, use);
  const isOutside = held.file !== null && !held.file.isInside;
  const path = isOutside ? posix.normalize(held.file!.path) : at(key, contentDigestOf(stack, service, key), false);
  return { type: 'bind', target: use.target, isReadOnly: true, path, propagation: null };
}

/** Mounts from `volumes_from`, resolved recursively. */
function borrowedMounts(
  stack: Stack,
  service: ComposeService,
  at: MountPath,
  seen: ReadonlySet<string>,
): ServiceMount[] {
  return service.volumesFrom.flatMap(({ service: name, isReadOnly }) => {
    const other = stack.project.services.find((each) => each.name === name);
    if (!other || seen.has(name)) return [];
    const shared = other.mounts.map((mount) => mountOf(stack, other, mount, at));
    const found = [...shared, ...borrowedMounts(stack, other, at, new Set([...seen, name]))];
    return found
      .filter((mount) => mount.type !== 'tmpfs')
      .map((mount) => ({ ...mount, isReadOnly: mount.isReadOnly || isReadOnly }));
  });
}

const units: Record<string, number> = { '': 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3 };

/** Parses the short tmpfs form of a compose file: `/run`, `/run:size=64m,mode=1777`. */
function tmpfsOf(text: string): ServiceMount {
  const [target = '/', options = ''] = text.split(':');
  const given = new Map(options.split(',').map((option) => option.split('=', 2) as [string, string | undefined]));
  const [, size, unit = ''] = /^(\d{1,15})([kmg]?)b?$/i.exec(given.get('size') ?? '') ?? [];
  const mode = /^[0-7]{3,4}$/.exec(given.get('mode') ?? '')?.[0];
  return {
    type: 'tmpfs',
    target: posix.normalize(target).replace(/(.)\/+$/, '$1'),
    isReadOnly: given.has('ro'),
    sizeBytes: size === undefined ? null : Number(size) * units[unit.toLowerCase()]!,
    mode: mode === undefined ? null : Number.parseInt(mode, 8),
  };
}
