import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import type { LogSource } from '../../records/log-reader.ts';
import type { RuntimePaths } from '../../records/paths.ts';
import { replaceFileSingleWriter } from '../../records/replace-file.ts';
import { join } from 'node:path';

// An instance folder's name is derived from its service, not equal to it. The exact name is stored inside, for
// reading when the container is gone or the engine is unreachable.

/** The only service of an app, whose folder does not store its name. */
export const mainService = 'app';

/** Creates the folder of an instance and stores its service and replica. */
export function makeInstanceFolder(folder: string, service: string | undefined, replica: number | undefined): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (service !== undefined && wordIn(folder, 'service') !== service)
    replaceFileSingleWriter(join(folder, 'service'), service);
  if (replica !== undefined) replaceFileSingleWriter(join(folder, 'replica'), String(replica));
}

/** Missing for an app's service and for the first replica. */
const wordIn = (folder: string, name: 'service' | 'replica'): string | undefined =>
  existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8') : undefined;

/** Returns the existing folders of a deployment, or of one of its services. */
export function foldersOf(
  places: RuntimePaths,
  deploymentId: string,
  service?: string,
): (LogSource & { key: string })[] {
  return places
    .keys(deploymentId)
    .map((key) => {
      const folder = places.instance(key);
      const [name, replica] = [wordIn(folder, 'service'), wordIn(folder, 'replica')];
      return {
        key,
        folder,
        ...(name !== undefined && { service: name }),
        ...(replica && { replica: Number(replica) }),
      };
    })
    .filter((each) => service === undefined || (each.service ?? mainService) === service);
}
