import { readdirSync, readFileSync, readlinkSync, rmSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { versionPattern } from '../../lib/version-order.ts';

const keptVersions = 2;
const snapshotMs = 7 * 24 * 60 * 60_000;

/** Removes versions but the installed and the last two before it, and those that a process still runs. */
export function removeOldVersions(versions: string, installed: string, previous: string): void {
  const changedAt = (version: string) => statSync(join(versions, version)).ctimeMs;
  const others = readdirSync(versions)
    .filter((name) => versionPattern.test(name) && name !== installed && name !== previous)
    .toSorted((a, b) => changedAt(b) - changedAt(a));
  for (const version of others.slice(keptVersions - 1)) removeUnused(join(versions, version));
}

/** The edge and the supervisors of apps run the version that started them until they are replaced. */
export function removeUnused(folder: string): void {
  if (!isInUse(folder)) rmSync(folder, { recursive: true, force: true });
}

function isInUse(folder: string): boolean {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .some((pid) => programOf(pid).some((path) => path === folder || path.startsWith(folder + sep)));
}

/** Executable and arguments of a process; nothing once it has exited. */
function programOf(pid: string): string[] {
  try {
    return [readlinkSync(`/proc/${pid}/exe`), ...readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')];
  } catch {
    return [];
  }
}

export function removeOldSnapshots(folder: string, now: number): void {
  for (const name of namesIn(folder)) {
    const path = join(folder, name);
    if (now - statSync(path).mtimeMs > snapshotMs) rmSync(path, { recursive: true, force: true });
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
