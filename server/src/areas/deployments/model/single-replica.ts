import type { ComposeService } from '../../../compose/index.ts';
import type { ServiceImage } from './stack.ts';

/**
 * Names the volumes and folders that two versions of a service must not write to at once. Folders of the source do not
 * count, unless the image declares a volume there.
 */
export function exclusiveVolumes(service: ComposeService, image: ServiceImage | null, dataFolders: string[]): string[] {
  const declared = image?.volumes ?? [];
  const isData = (target: string) => declared.some((path) => isInOrAt(target, path) || isInOrAt(path, target));
  const mounted = service.mounts.flatMap((mount) => {
    if (mount.isReadOnly || mount.isShared || mount.type === 'tmpfs') return [];
    if (mount.type === 'volume')
      return [mount.volume === null ? `its volume at ${mount.target}` : `the volume ${mount.volume}`];
    const isKept = !mount.source.isInside || dataFolders.includes(mount.source.path) || isData(mount.target);
    return isKept ? [`the folder ${mount.source.path}`] : [];
  });
  const targets = [...service.mounts.map(({ target }) => target), ...service.tmpfs.map((path) => path.split(':')[0]!)];
  const own = declared
    .filter((path) => !targets.some((target) => isInOrAt(path, target)))
    .map((path) => `its volume at ${path}`);
  const borrowed = service.volumesFrom
    .filter(({ isReadOnly }) => !isReadOnly)
    .map((from) => `the volumes of ${from.service}`);
  return [...new Set([...mounted, ...own, ...borrowed])];
}

export const writtenByOne = (volume: string): string =>
  `it writes to ${volume}, which only one replica may do (unless the volume allows overlap)`;

/** Fixed addresses, which one container has at a time. */
export const fixedAddresses = ({ networks }: ComposeService): string[] =>
  networks.flatMap(({ address }) => address ?? []);

/** Returns why the service cannot have a second replica; undefined if it can. */
export function whyOnlyOne(
  service: ComposeService,
  image: ServiceImage | null,
  dataFolders: string[],
): string | undefined {
  const [volume] = exclusiveVolumes(service, image, dataFolders);
  if (volume !== undefined) return writtenByOne(volume);
  const port = service.ports.find(
    ({ published }) => published && published.from > 0 && published.from === published.to,
  );
  if (port) return `it publishes port ${port.published!.from} of the machine, which only one can do`;
  const [address] = fixedAddresses(service);
  if (address !== undefined) return `it has the address ${address}, which only one can have`;
  return service.networkMode === 'host' ? 'it uses the network of the machine' : undefined;
}

export const isInOrAt = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
