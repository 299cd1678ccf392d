import { posix } from 'node:path';
import type { ImageRelease, ServiceMount, ServiceOptions } from '../../runtime.ts';
import type { EngineClient } from '../engine/client.ts';
import type { ImageInfo } from '../engine/types.ts';
import type { StackVolumes } from '../volumes.ts';

/** Mount settings of a container. */
export interface MountSettings {
  Mounts: object[];
  /** The engine's legacy syntax, which creates a missing host folder. */
  Binds: string[];
}

const firstWithSubpath = { api: 45, engine: 26 };

/** Creates the volumes of a service, including those of its image, and returns the mount settings. */
export async function prepareMounts(
  parts: { engine: EngineClient; volumes: StackVolumes },
  { owner, service: options }: ImageRelease,
  image: ImageInfo,
): Promise<MountSettings> {
  const settings: MountSettings = { Mounts: [], Binds: [] };
  const own = options.mounts.map((mount) => ({ ...mount, target: targetOf(mount.target, options, image) }));
  for (const mount of [...own, ...imageMounts(own, image)]) {
    const common = { Target: mount.target, ReadOnly: mount.isReadOnly };
    if (mount.type === 'tmpfs') settings.Mounts.push({ Type: 'tmpfs', ...common, TmpfsOptions: tmpfsOf(mount) });
    else if (mount.type === 'bind' && mount.isCreated && !mount.path.includes(':')) settings.Binds.push(bindOf(mount));
    else if (mount.type === 'bind') {
      const Propagation = mount.propagation ?? undefined;
      settings.Mounts.push({ Type: 'bind', Source: mount.path, ...common, BindOptions: { Propagation } });
    } else {
      if (mount.subpath !== null) await checkSubpath(parts.engine);
      const at = { path: mount.target, image };
      const Source = await parts.volumes.ensure(owner, options, mount.volume, at);
      const VolumeOptions = { NoCopy: !mount.isCopied, ...(mount.subpath !== null && { Subpath: mount.subpath }) };
      settings.Mounts.push({ Type: 'volume', Source, ...common, VolumeOptions });
    }
  }
  return settings;
}

/** Volumes that the image declares and no mount covers. */
function imageMounts(mounts: readonly ServiceMount[], { Config }: ImageInfo): ServiceMount[] {
  const volume = { name: null, externalName: null, driver: null, driverOptions: {}, labels: {} };
  const isSaid = (path: string) => mounts.some(({ target }) => plain(target) === plain(path));
  return Object.keys(Config?.Volumes ?? {})
    .filter((path) => !isSaid(path))
    .map((target) => ({ type: 'volume', target, isReadOnly: false, volume, subpath: null, isCopied: true }));
}

/** Resolves a relative path against the working directory. */
export const targetOf = (target: string, { workingDirectory }: ServiceOptions, { Config }: ImageInfo): string =>
  posix.resolve('/', workingDirectory ?? Config?.WorkingDir ?? '', target);

const plain = (path: string): string => path.replace(/\/+$/, '');

function bindOf({ path, target, isReadOnly, propagation }: ServiceMount & { type: 'bind' }): string {
  const modes = [isReadOnly ? 'ro' : 'rw', ...(propagation === null ? [] : [propagation])];
  return `${path}:${target}:${modes.join(',')}`;
}

const tmpfsOf = ({ sizeBytes, mode }: ServiceMount & { type: 'tmpfs' }): object => ({
  ...(sizeBytes !== null && { SizeBytes: sizeBytes }),
  ...(mode !== null && { Mode: mode }),
});

async function checkSubpath(engine: EngineClient): Promise<void> {
  const version = await engine.version();
  if (Number(version.replace('v1.', '')) < firstWithSubpath.api)
    throw new Error(`mounting a folder inside a volume needs Docker ${firstWithSubpath.engine} or later`);
}
