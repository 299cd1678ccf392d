import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import type { LogSource } from '../../records/log-reader.ts';
import type { RuntimePaths } from '../../records/paths.ts';
import { replaceFile } from '../../records/replace-file.ts';
import { join } from 'node:path';

// The folder of an instance is called after its service, but not exactly so. Which one it is stands in it, for what is read
// when the container is gone or the engine away.

/** The one service of an app, whose folder does not name it. */
export const mainService = 'app';

/** The folder of an instance; that of one of several services says so. */
export function makeInstanceFolder(folder: string, service: string | undefined, replica: number | undefined): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (service !== undefined && wordIn(folder, 'service') !== service) replaceFile(join(folder, 'service'), service);
  if (replica !== undefined) replaceFile(join(folder, 'replica'), String(replica));
}

/** The service is not there for an app, nor the number for the first replica. */
const wordIn = (folder: string, name: 'service' | 'replica'): string | undefined =>
  existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8') : undefined;

/** The folders of a deployment, or of one service of it, as far as they are there. */
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
