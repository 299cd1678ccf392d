import type { ImageRelease } from '../runtime.ts';
import type { ImageInfo } from './engine/types.ts';

// The box that every app starts in: no way to more rights, no capabilities but those that its user cannot do without,
// nothing to write on but memory. A release says what more it needs (`Confinement`).

/** What an image that starts as root needs to hand its files over and become somebody else, as many do. */
const toGiveUpRoot = ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'FSETID', 'KILL', 'NET_BIND_SERVICE', 'SETGID', 'SETUID'];

/** In memory, and counted as the app's. Programs may be run there: some unpack their libraries so. */
const inMemory = 'rw,exec,nosuid,nodev,size=512m,mode=1777';
const always = ['/tmp', '/var/tmp', '/run'];
const mostProcesses = 2048;

/** The part of a container's settings that keeps the app in its box. */
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

/** Where there is such a folder in the image, some engines keep its mode, which may be for its owner alone. */
function ownedBy({ Config }: ImageInfo): string {
  const [, uid, gid] = /^(\d+):(\d+)$/.exec(Config?.User ?? '') ?? [];
  return uid ? `,uid=${uid},gid=${gid}` : '';
}

const startsAsRoot = ({ Config }: ImageInfo): boolean =>
  ['', 'root', '0'].includes((Config?.User ?? '').split(':')[0]!.trim());
