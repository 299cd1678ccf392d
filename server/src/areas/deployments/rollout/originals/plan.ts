import { posix } from 'node:path';
import type { ComposeProject, ComposeService } from '../../../../compose/index.ts';
import type { ReplaceStrategy } from '../../model/stack.ts';
import { originalsOfService, type Original, type Originals, originalTitle } from '../../model/originals.ts';

/** How a service takes over from its original containers, and why. */
export type TakeOver = { strategy: ReplaceStrategy; reason: string };

/** Engine sockets can be shared. */
const isEngineSocket = (path: string): boolean => /^\/(var\/)?run\/docker\.sock$/.test(path);

/** Plans the takeover of each service that has originals. */
export function planTakeOvers(project: ComposeProject, originals: Originals): Map<string, TakeOver> {
  const planned = project.services.flatMap((service) => {
    const own = originalsOfService(originals, service.name);
    return own.length ? [[service.name, takeOverOf(project, service, own)] as const] : [];
  });
  return new Map(planned);
}

function takeOverOf(project: ComposeProject, service: ComposeService, originals: Original[]): TakeOver {
  const [first, ...others] = originals;
  const names = originals.map(({ name }) => name);
  const from = `takes over from the ${others.length ? `containers ${names.join(', ')}` : originalTitle(first!)}`;
  const shared = [...new Set(originals.flatMap((original) => sharedWithOriginal(project, service, original)))];
  if (!shared.length) return { strategy: 'start_first', reason: from };
  return { strategy: 'stop_first', reason: `${from}; they share ${shared.join(', ')}` };
}

/** Returns the ports and mounts that only one of the two can use at a time. */
export function sharedWithOriginal({ volumes }: ComposeProject, service: ComposeService, original: Original): string[] {
  const ports = publishedBy(service).filter((port) =>
    original.ports.some(({ published, protocol }) => published !== null && port === nameOfPort(published, protocol)),
  );
  const isOnMachine = service.networkMode === 'host' && original.networks.some(({ name }) => name === 'host');
  const nameOf = (key: string) => volumes.find(({ name }) => name === key)?.externalName ?? key;
  const mounts = service.mounts.flatMap((mount) => {
    if (mount.type === 'tmpfs') return [];
    const name = mount.type === 'volume' ? mount.volume && nameOf(mount.volume) : outside(mount.source);
    const theirs = original.mounts.filter(
      ({ type, name: volume, source }) => type === mount.type && (type === 'volume' ? volume : source) === name,
    );
    const isWrittenTo = theirs.some(({ readOnly }) => !(readOnly && mount.isReadOnly));
    if (!name || !isWrittenTo || isEngineSocket(name)) return [];
    return [`the ${mount.type === 'volume' ? 'volume' : 'folder'} ${name}`];
  });
  return [
    ...ports.map((port) => `port ${port} of the machine`),
    ...(isOnMachine ? ['the network of the machine'] : []),
    ...mounts,
  ];
}

const outside = ({ path, isInside }: { path: string; isInside: boolean }): string | null =>
  isInside ? null : posix.normalize(path);

const nameOfPort = (port: number, protocol: string): string => (protocol === 'tcp' ? `${port}` : `${port}/${protocol}`);

const publishedBy = ({ ports }: ComposeService): string[] =>
  ports.flatMap(({ published, protocol }) =>
    published && published.from > 0 && published.from === published.to ? [nameOfPort(published.from, protocol)] : [],
  );
