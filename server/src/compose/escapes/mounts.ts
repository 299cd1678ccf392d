import { posix } from 'node:path';
import type { ComposeService, PathInSource } from '../service.ts';
import { short, type EscapeAt } from './escape-at.ts';

const sockets = [
  '/var/run/docker.sock',
  '/run/docker.sock',
  '/run/containerd/containerd.sock',
  '/run/podman/podman.sock',
  '/var/run/podman/podman.sock',
];

/** Everybody may know the time zone of the machine. */
const harmless = new Set(['/etc/localtime', '/etc/timezone']);

/** Returns host folders, and mounts that propagate to the host. */
export function mountEscapes({ mounts }: ComposeService): EscapeAt[] {
  return mounts.flatMap((mount): EscapeAt[] => {
    if (mount.type !== 'bind') return [];
    const at = { at: mount.at };
    const spreads = mount.propagation !== null && !/^r?private$/.test(mount.propagation);
    return [
      ...(mount.source.isInside || (mount.isReadOnly && harmless.has(mount.source.path))
        ? []
        : [{ field: 'volumes', reason: outsideReason(mount.source), ...at }]),
      ...(spreads
        ? [{ field: 'volumes', reason: `${short(mount.propagation!)} shares mounts with the machine`, ...at }]
        : []),
    ];
  });
}

/** Returns why a path outside the source needs trust. */
export function outsideReason({ path }: PathInSource): string {
  const normal = posix.normalize(path).replace(/(.)\/+$/, '$1');
  const isEngine = sockets.some(
    (socket) => socket === normal || socket.startsWith(normal === '/' ? '/' : `${normal}/`),
  );
  return isEngine && posix.isAbsolute(path)
    ? `${short(path)} is the Docker socket, which gives full control of the machine`
    : `${short(path)} is outside the source`;
}
