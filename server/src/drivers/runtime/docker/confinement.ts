import type { ImageRelease } from '../runtime.ts';
import type { ImageInfo } from './engine/types.ts';

// The default confinement of every app: no privilege escalation, only the capabilities that its user needs, a
// read-only root file system. A release declares further needs in `Confinement`.

/** Needed by images that start as root, chown their files and then drop privileges, as many do. */
const toGiveUpRoot = ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'FSETID', 'KILL', 'NET_BIND_SERVICE', 'SETGID', 'SETUID'];

/** On tmpfs, counted as the app's memory. Executable, because some programs unpack their libraries there. */
const inMemory = 'rw,exec,nosuid,nodev,size=512m,mode=1777';
const always = ['/tmp', '/var/tmp', '/run'];
const mostProcesses = 2048;

/** Returns the part of the container settings that confines the app. */
export function confine({ confinement = {}, service }: ImageRelease, image: ImageInfo): object {
  const { writableRoot = false, memory = [], capabilities } = confinement;
  const isMounted = (folder: string) => service.mounts.some(({ target }) => target === folder);
  const folders = writableRoot ? [] : [...always, ...memory].filter((folder) => !isMounted(folder));
  return {
    ReadonlyRootfs: !writableRoot,
    Tmpfs: Object.fromEntries(folders.map((folder) => [folder, inMemory + ownedBy(image)])),
    CapDrop: ['ALL'],
    CapAdd: capabilities ?? (startsAsRoot(image) ? toGiveUpRoot : []),
    SecurityOpt: ['no-new-privileges'],
    PidsLimit: mostProcesses,
  };
}

/** Some engines keep the mode of an existing folder in the image, which may be for its owner only. */
function ownedBy({ Config }: ImageInfo): string {
  const [, uid, gid] = /^(\d+):(\d+)$/.exec(Config?.User ?? '') ?? [];
  return uid ? `,uid=${uid},gid=${gid}` : '';
}

const startsAsRoot = ({ Config }: ImageInfo): boolean =>
  ['', 'root', '0'].includes((Config?.User ?? '').split(':')[0]!.trim());
