import { existsSync, readFileSync } from 'node:fs';
import { lstat, readdir, readlink } from 'node:fs/promises';
import { join, posix } from 'node:path';
import {
  ignoreFiles,
  IgnoreRules,
  isEnvFile,
  neverUploaded,
  parseIgnoreFile,
  type TarEntry,
} from '@mooring/client/folder';

export interface FolderContent {
  entries: TarEntry[];
  files: number;
  bytes: number;
  /** Excluded files with variables. */
  envFiles: string[];
  /** Symlinks that point outside the folder; they would be broken on the server. */
  outsideLinks: string[];
}

/** Collects the files of a folder to upload, in a machine-independent order. */
export async function walkFolder(root: string, includeEnv: boolean): Promise<FolderContent> {
  const content: FolderContent = { entries: [], files: 0, bytes: 0, envFiles: [], outsideLinks: [] };
  await walk('', new IgnoreRules());
  return content;

  async function walk(folder: string, above: IgnoreRules): Promise<void> {
    const rules = withOwnRules(root, folder, above);
    const names = (await readdir(join(root, folder))).toSorted();
    for (const name of names) {
      const path = folder ? `${folder}/${name}` : name;
      const stat = await lstat(join(root, path));
      const isFolder = stat.isDirectory();
      const isEnv = !isFolder && isEnvFile(name);
      if (isEnv && !includeEnv) content.envFiles.push(path);
      if (neverUploaded.has(name) || (isEnv ? !includeEnv : rules.ignores(path, isFolder))) continue;
      if (isFolder) {
        content.entries.push({ type: 'folder', path, mode: 0o755 });
        await walk(path, rules);
      } else if (stat.isSymbolicLink()) await addLink(path);
      else if (stat.isFile()) addFile(path, stat);
    }
  }

  function addFile(path: string, { size, mode }: { size: number; mode: number }): void {
    content.entries.push({ type: 'file', path, size, mode: mode & 0o111 ? 0o755 : 0o644 });
    content.files++;
    content.bytes += size;
  }

  async function addLink(path: string): Promise<void> {
    const target = (await readlink(join(root, path))).replaceAll('\\', '/');
    if (leadsOutside(path, target)) content.outsideLinks.push(path);
    else content.entries.push({ type: 'symlink', path, target, mode: 0o777 });
  }
}

function withOwnRules(root: string, folder: string, above: IgnoreRules): IgnoreRules {
  return ignoreFiles
    .map((name) => join(root, folder, name))
    .filter((file) => existsSync(file))
    .reduce((rules, file) => rules.with(folder, parseIgnoreFile(readFileSync(file, 'utf8'))), above);
}

function leadsOutside(path: string, target: string): boolean {
  if (target.startsWith('/') || /^[A-Za-z]:/.test(target)) return true;
  const place = posix.join(posix.dirname(path), target);
  return place === '..' || place.startsWith('../');
}
