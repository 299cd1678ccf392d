import { dirname } from 'node:path';
import type { ReleaseSpec } from '../runtime.ts';

const systemPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** The whole environment of an app: its own variables, where to listen, and the little that programs cannot do without.
 * Nothing comes from the service's own. What the project sets wins, except for `PORT`. */
export function appEnvironment(
  { env, folder }: Pick<ReleaseSpec, 'env' | 'folder'>,
  { host, port, marker }: { host: string; port: number; marker: string },
): Record<string, string> {
  const [markerName, markerValue] = marker.split('=') as [string, string];
  return {
    // Last, so that an app finds a Node even where the only one is the one that we brought along.
    PATH: `${systemPath}:${dirname(process.execPath)}`,
    HOME: folder,
    LANG: 'C.UTF-8',
    HOST: host,
    ...env,
    PORT: String(port),
    [markerName]: markerValue,
  };
}

/** Throws for what no process can be given. The value stays out of the error. */
export function checkVariables(env: Record<string, string>): void {
  for (const [name, value] of Object.entries(env))
    if (!name || /[=\0]/.test(name) || value.includes('\0'))
      throw new Error(`the variable ${JSON.stringify(name)} cannot be given to a process`);
}
