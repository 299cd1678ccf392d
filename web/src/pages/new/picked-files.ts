import { neverUploaded } from '@mooring/client/folder';

/** A dropped or selected file, with its path in the folder. */
export type PickedFile = { path: string; file: File };

/** Returns the dropped files, including those in folders. */
export async function filesDropped(items: DataTransferItemList): Promise<PickedFile[]> {
  const entries = [...items].flatMap((item) => item.webkitGetAsEntry() ?? []);
  const found: PickedFile[] = [];
  for (const entry of entries) await collect(entry, found);
  return withoutTopFolder(found);
}

export const filesChosen = (files: FileList): PickedFile[] =>
  withoutTopFolder([...files].map((file) => ({ path: file.webkitRelativePath || file.name, file })));

async function collect(entry: FileSystemEntry, found: PickedFile[]): Promise<void> {
  if (neverUploaded.has(entry.name)) return;
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
    found.push({ path: entry.fullPath.slice(1), file });
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  for (;;) {
    // Returns at most 100 entries at a time.
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (!some.length) return;
    for (const each of some) await collect(each, found);
  }
}

/** Strips the dropped folder, and the enclosing folder that git hosts put into their archives. */
export function withoutTopFolder<T extends { path: string }>(files: readonly T[]): T[] {
  const top = files[0]?.path.split('/', 1)[0] ?? '';
  const isAround = files.every(({ path }) => path.startsWith(`${top}/`));
  return isAround ? files.map((each) => ({ ...each, path: each.path.slice(top.length + 1) })) : [...files];
}

/** The name of the enclosing folder, or of the archive. */
export function nameOfPicked(items: readonly { name: string }[]): string {
  const name = items.length === 1 ? items[0]!.name : '';
  return name.replace(/\.(zip|tar\.gz|tgz)$/i, '').replace(/-(main|master)$/, '');
}
