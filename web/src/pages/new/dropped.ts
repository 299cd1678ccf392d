/** A file that somebody has dropped or chosen, with its path in the folder. */
export type Picked = { path: string; file: File };

/** What was dropped: the files of a folder, or single files. */
export async function filesDropped(items: DataTransferItemList): Promise<Picked[]> {
  const entries = [...items].flatMap((item) => item.webkitGetAsEntry() ?? []);
  const found: Picked[] = [];
  for (const entry of entries) await collect(entry, found);
  return withoutTopFolder(found);
}

export const filesChosen = (files: FileList): Picked[] =>
  withoutTopFolder([...files].map((file) => ({ path: file.webkitRelativePath || file.name, file })));

const skipped = new Set(['node_modules', '.git']);

async function collect(entry: FileSystemEntry, found: Picked[]): Promise<void> {
  if (skipped.has(entry.name)) return;
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
    found.push({ path: entry.fullPath.slice(1), file });
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  for (;;) {
    // A hundred at a time.
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (!some.length) return;
    for (const each of some) await collect(each, found);
  }
}

/** The folder that was dropped, and the one that archives of git hosts put around everything, are not part of the paths. */
export function withoutTopFolder<T extends { path: string }>(files: readonly T[]): T[] {
  const top = files[0]?.path.split('/', 1)[0] ?? '';
  const isAround = files.every(({ path }) => path.startsWith(`${top}/`));
  return isAround ? files.map((each) => ({ ...each, path: each.path.slice(top.length + 1) })) : [...files];
}

/** The name of the folder around everything, or of the archive. */
export function nameOf(items: readonly { name: string }[]): string {
  const name = items.length === 1 ? items[0]!.name : '';
  return name.replace(/\.(zip|tar\.gz|tgz)$/i, '').replace(/-(main|master)$/, '');
}
