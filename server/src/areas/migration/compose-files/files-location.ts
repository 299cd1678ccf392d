import { posix } from 'node:path';
import type { FoundService } from '../stack/found-services.ts';
import { composeLabel } from '../stack/platforms.ts';

/** Location of a group's compose files. */
export interface ComposeFilesLocation {
  folder: string;
  /** Absolute paths, in merge order. */
  files: string[];
  envFiles: string[];
}

const mostFiles = 20;
const mostPath = 1000;

/**
 * Returns the location from the container labels; undefined if they have none. Only YAML, JSON and env files are
 * opened, because labels may come from an untrusted image.
 */
export function composeFilesLocation(services: readonly FoundService[]): ComposeFilesLocation | undefined {
  for (const { containers } of services) {
    const labels = containers[0].Config.Labels;
    const files = pathsIn(labels[composeLabel('project.config_files')]).filter((path) => /\.(ya?ml|json)$/i.test(path));
    const [given] = pathsIn(labels[composeLabel('project.working_dir')]);
    const folder = given ?? (files[0] && posix.dirname(files[0]));
    if (!files.length || !folder) continue;
    const envFiles = pathsIn(labels[composeLabel('project.environment_file')]);
    return { folder, files, envFiles: envFiles.filter((path) => /(^|[/.])env([.-]|$)/i.test(path)) };
  }
  return undefined;
}

const pathsIn = (label: string | undefined): string[] =>
  (label ?? '')
    .slice(0, mostPath * mostFiles)
    .split(',')
    .filter((path) => path.startsWith('/') && path.length <= mostPath && !path.includes('\0'))
    .slice(0, mostFiles)
    .map((path) => posix.normalize(path).replace(/(.)\/$/, '$1'));

/** Returns the common parent folder. */
export function commonFolder(paths: readonly string[]): string {
  const [first = [], ...others] = paths.map((path) => path.split('/').slice(1));
  let length = first.length;
  for (const other of others) {
    const end = first.findIndex((part, i) => part !== other[i]);
    length = Math.min(length, end < 0 ? first.length : end);
  }
  return `/${first.slice(0, length).join('/')}`;
}
