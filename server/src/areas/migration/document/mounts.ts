import type { ServiceFields, FoundContainer } from './service-fields.ts';
import { fieldUnlessEmpty } from './service-fields.ts';

/** Returns the mounts. Volumes keep their name in the engine and are used in place. */
export function mountFields({ container }: FoundContainer): ServiceFields {
  const { Mounts, HostConfig } = container;
  const tmpfs = Object.entries(HostConfig.Tmpfs).map(([path, options]) => (options ? `${path}:${options}` : path));
  const mounts = Mounts.flatMap((mount) => {
    const asked = HostConfig.Mounts.find(({ Target }) => Target === mount.Destination);
    const base = { type: mount.Type, target: mount.Destination, ...fieldUnlessEmpty('read_only', !mount.RW) };
    if (mount.Type === 'volume') {
      const { Subpath = '', NoCopy = false } = asked?.VolumeOptions ?? {};
      const options = { ...fieldUnlessEmpty('subpath', Subpath), ...fieldUnlessEmpty('nocopy', NoCopy) };
      return [{ ...base, source: mount.Name, ...fieldUnlessEmpty('volume', options) }];
    }
    if (mount.Type === 'bind') {
      const propagation = ['', 'rprivate'].includes(mount.Propagation) ? '' : mount.Propagation;
      return [
        { ...base, source: mount.Source, ...fieldUnlessEmpty('bind', fieldUnlessEmpty('propagation', propagation)) },
      ];
    }
    // A tmpfs of `--tmpfs` is listed separately.
    if (mount.Type !== 'tmpfs' || mount.Destination in HostConfig.Tmpfs) return [];
    const { SizeBytes = 0, Mode = 0 } = asked?.TmpfsOptions ?? {};
    return [
      {
        ...base,
        ...fieldUnlessEmpty('tmpfs', { ...fieldUnlessEmpty('size', SizeBytes), ...fieldUnlessEmpty('mode', Mode) }),
      },
    ];
  });
  return { ...fieldUnlessEmpty('volumes', mounts), ...fieldUnlessEmpty('tmpfs', tmpfs) };
}

/** Returns mounts of types that our compose files do not support. */
export const foreignMounts = ({ Mounts }: FoundContainer['container']): string[] =>
  Mounts.filter(({ Type }) => !['volume', 'bind', 'tmpfs'].includes(Type)).map(
    ({ Type, Destination }) => `${Destination} (${Type})`,
  );

export const volumesOf = ({ Mounts }: FoundContainer['container']): string[] =>
  Mounts.flatMap(({ Type, Name }) => (Type === 'volume' && Name ? [Name] : []));

/** The engine names anonymous volumes by a hex id. */
export const isAnonymous = (name: string): boolean => /^[0-9a-f]{64}$/.test(name);
