import { dirname } from 'node:path';
import type { FolderRelease } from '../runtime.ts';

const systemPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** The whole environment of an app: its own variables, where to listen, and the little that programs cannot do without.
 * Nothing comes from the service's own. What the project sets wins, except for `PORT`. */
export function appEnvironment(
  { env, folder, programs = [] }: Pick<FolderRelease, 'env' | 'folder' | 'programs'>,
  { host, port, marker }: { host: string; port: number; marker: string },
): Record<string, string> {
  const [markerName, markerValue] = marker.split('=') as [string, string];
  // Last, so that an app finds a Node even where the only one is the one that we brought along.
  const path = env['PATH'] ?? `${systemPath}:${dirname(process.execPath)}`;
  return {
    HOME: folder,
    LANG: 'C.UTF-8',
    HOST: host,
    ...env,
    PATH: [...programs, path].join(':'),
    PORT: String(port),
    [markerName]: markerValue,
  };
}
