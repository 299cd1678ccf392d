import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { systemPath } from '../../toolchain/machine-programs.ts';
import type { FolderRelease } from '../runtime.ts';

/** Returns the whole environment of an app: its variables, where to listen, and the few that programs need. Nothing
 * comes from the service's own. The project's values win, except for `PORT`. */
export function appEnvironment(
  { env, folder, programs = [] }: Pick<FolderRelease, 'env' | 'folder' | 'programs'>,
  { host, port, marker }: { host: string; port: number; marker: string },
): Record<string, string> {
  const [markerName, markerValue] = marker.split('=') as [string, string];
  // Last, so that an app finds Node even if ours is the only one.
  const path = env['PATH'] ?? `${systemPath}:${nodeFolder()}`;
  return {
    HOME: folder,
    LANG: 'C.UTF-8',
    // Otherwise Python keeps the lines of its output back, also those before a crash.
    PYTHONUNBUFFERED: '1',
    HOST: host,
    ...env,
    PATH: [...programs, path].join(':'),
    PORT: String(port),
    [markerName]: markerValue,
  };
}

/** The folder of our Node. On an installed machine through the link `current`: updates remove old versions. */
function nodeFolder(): string {
  const folder = dirname(process.execPath);
  const link = join(folder, '../../current/bin');
  return existsSync(link) && realpathSync(link) === folder ? link : folder;
}
