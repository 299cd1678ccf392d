import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import type { LogSource } from '../records/log-reader.ts';
import type { Places } from '../records/places.ts';
import { replaceFile } from '../records/replace-file.ts';
import { join } from 'node:path';

// The folder of an instance is called after its service, but not exactly so. Which one it is stands in it, for what is read
// when the container is gone or the engine away.

const file = (folder: string) => join(folder, 'service');

/** The one service of an app, whose folder does not name it. */
export const mainService = 'app';

/** The folder of an instance; that of one of several services says so. */
export function makeFolder(folder: string, service: string | undefined): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (service !== undefined && serviceIn(folder) !== service) replaceFile(file(folder), service);
}

/** Undefined for an app. */
const serviceIn = (folder: string): string | undefined =>
  existsSync(file(folder)) ? readFileSync(file(folder), 'utf8') : undefined;

/** The folders of a deployment, or of one service of it, as far as they are there. */
export function foldersOf(places: Places, deploymentId: string, service?: string): LogSource[] {
  const keys = service === undefined ? places.keys(deploymentId) : [places.key(deploymentId, service)];
  return keys
    .map((key) => places.instance(key))
    .filter((folder) => existsSync(folder))
    .map((folder) => {
      const name = serviceIn(folder);
      return { folder, ...(name !== undefined && { service: name }) };
    });
}
