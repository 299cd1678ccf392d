import { readFileSync, realpathSync } from 'node:fs';
import { basename, dirname } from 'node:path';

/** Returns the names in a folder at which a disk or another folder is mounted. */
export function mountPointsIn(folder: string): string[] {
  const lines = readFileSync('/proc/self/mountinfo', 'utf8').split('\n');
  // The fifth field, in which spaces are octal.
  const at = realpathSync(folder);
  const paths = lines.flatMap((line) => line.split(' ')[4] ?? []).map(unescaped);
  return paths.filter((path) => dirname(path) === at).map((path) => basename(path));
}

const unescaped = (path: string): string =>
  path.replaceAll(/\\([0-7]{3})/g, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 8)));
