import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** What has to stay visible inside of hidden folders so that programs on the path work: a Node under the home (nvm, fnm), the
 * one that runs us, and the folder with the addresses of name servers. */
export function programFolders(path: string, hidden: string[]): string[] {
  const isHidden = (file: string) => hidden.some((folder) => file.startsWith(`${folder}/`));
  const found = new Set<string>();
  const add = (file: string) => {
    if (isHidden(file) && existsSync(file)) found.add(file);
  };
  /** A folder of programs and, beside it, what they load. */
  const addPrograms = (folder: string) => {
    add(folder);
    add(join(dirname(folder), 'lib'));
  };
  for (const folder of [...path.split(':'), dirname(process.execPath)]) {
    const real = realPath(folder);
    if (!real) continue;
    // The path itself too: programs are looked for there.
    if (folder !== real) add(folder);
    if (!isHidden(real)) continue;
    addPrograms(real);
    for (const entry of readdirSync(real, { withFileTypes: true })) {
      const target = entry.isSymbolicLink() ? realPath(join(real, entry.name)) : undefined;
      if (target && isHidden(target) && !target.startsWith(`${dirname(real)}/`)) addPrograms(dirname(target));
    }
  }
  const resolver = realPath('/etc/resolv.conf');
  if (resolver) add(dirname(resolver));
  return [...found].toSorted((a, b) => a.length - b.length);
}

const realPath = (file: string): string | undefined => {
  try {
    return file.startsWith('/') ? realpathSync(file) : undefined;
  } catch {
    // A folder of the path that does not exist, a link that leads nowhere.
    return undefined;
  }
};
