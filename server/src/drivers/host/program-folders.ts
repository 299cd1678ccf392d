import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Returns paths inside hidden folders that programs need: a Node in the home (nvm, fnm), our own Node, and the
 * folder of resolv.conf. */
export function programFolders(path: string, hidden: string[]): string[] {
  const isHidden = (file: string) => hidden.some((folder) => file.startsWith(`${folder}/`));
  const found = new Set<string>();
  const add = (file: string) => {
    if (isHidden(file) && existsSync(file)) found.add(file);
  };
  /** A program folder and its sibling `lib`. */
  const addPrograms = (folder: string) => {
    add(folder);
    add(join(dirname(folder), 'lib'));
  };
  for (const folder of [...path.split(':'), dirname(process.execPath)]) {
    const real = realPath(folder);
    if (!real) continue;
    // The unresolved path too, because programs are looked up there.
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
    // A missing folder in PATH, or a dangling symlink.
    return undefined;
  }
};
