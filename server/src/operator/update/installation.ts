import { lstatSync, readFileSync, readlinkSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { updateFolder } from '../../areas/instance/port.ts';
import type { Config } from '../../config.ts';
import { StartError } from '../../errors.ts';
import { syncFolder } from '../../lib/replace-file.ts';
import { versionPattern } from '../../lib/version-order.ts';

/** Folders of a machine that was set up with install.sh. */
export interface Installation {
  /** `/opt/mooring`, with a folder per version. */
  versions: string;
  /** The version of the running program. */
  version: string;
  dataDir: string;
  /** `/var/lib/mooring-update`. */
  state: string;
}

/** `release` is the folder of the running program: `/opt/mooring/<version>`. */
export function findInstallation(release: string, { dataDir }: Pick<Config, 'dataDir'>): Installation {
  const version = basename(release);
  const isRelease = versionPattern.test(version) && textOf(join(release, 'VERSION')) === version;
  if (!isRelease)
    throw new StartError(
      `${release} was not installed with install.sh; update the checkout or the image, see docs/operations/update.md`,
    );
  if (process.getuid!() !== 0) throw new StartError('an update needs root; run: sudo mooring update');
  const state = updateFolder(dataDir);
  const { uid, mode } = lstatSync(state, { throwIfNoEntry: false }) ?? {};
  if (uid === undefined || mode === undefined)
    throw new StartError(
      `${state} is missing; run install.sh again. The data folder of an installed Mooring is /var/lib/mooring`,
    );
  // Whoever writes the journal decides what root installs.
  if (uid !== 0 || mode & 0o022) throw new StartError(`${state} must belong to root and be writable by root only`);
  return { versions: dirname(release), version, dataDir, state };
}

const textOf = (file: string): string | undefined => {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return undefined;
  }
};

/** The version that `current` points to. */
export const currentVersion = ({ versions }: Pick<Installation, 'versions'>): string =>
  basename(readlinkSync(join(versions, 'current')));

/** Switches `current` atomically and durably. */
export function switchCurrent({ versions }: Pick<Installation, 'versions'>, version: string): void {
  const draft = join(versions, '.current');
  rmSync(draft, { force: true });
  symlinkSync(version, draft);
  renameSync(draft, join(versions, 'current'));
  syncFolder(versions);
}
