import { basename } from 'node:path';
import type { ImageRelease } from '../../runtime.ts';
import { EngineError } from '../engine/errors.ts';
import type { ImageInfo, Labels } from '../engine/types.ts';
import { noInitLabel } from '../labels.ts';

/** Support for the engine's init process (docker-init): a program that is process 1 ignores SIGTERM unless it handles
 * it, so every stop would take the whole grace period. */
export interface InitSupport {
  /** Detected by the first container that fails to start with one. */
  isMissing: boolean;
}

/** Init processes themselves; some refuse to be anything but process 1. */
const inits = [
  'init',
  'my_init',
  's6-svscan',
  'systemd',
  'runit-init',
  'tini',
  'tini-static',
  'dumb-init',
  'catatonit',
];

/** Whether a container of the release gets an init process, if the engine has one. */
function isInitWanted({ entrypoint, command, service }: ImageRelease, { Config }: ImageInfo): boolean {
  if (service.hasInit !== null) return service.hasInit;
  const ofImage = entrypoint ? [] : (Config?.Entrypoint ?? []);
  const [program] = [...(entrypoint ?? ofImage), ...(command ?? Config?.Cmd ?? [])];
  // In another pid namespace it would not be process 1.
  const isFirst = (service.beyond?.pid ?? null) === null;
  return isFirst && !inits.includes(basename(program ?? ''));
}

/** Returns the init setting, which reaps orphans and forwards signals, and its label. */
export function initOf(spec: ImageRelease, { image, init }: { image: ImageInfo; init: InitSupport }) {
  const isWanted = isInitWanted(spec, image);
  const labels: Labels = { [noInitLabel]: isWanted && init.isMissing ? 'engine' : '' };
  return { isGiven: isWanted && !init.isMissing, labels };
}

/** Docker's and Podman's error messages. */
export const isInitMissing = (error: unknown): boolean =>
  error instanceof EngineError && /docker-init|container-init binary/i.test(error.message);

export const missingInit =
  'The container engine has no init process (docker-init), so the app is process 1 and may ignore SIGTERM. Install tini, or docker-init, on the machine of the engine and redeploy.';
