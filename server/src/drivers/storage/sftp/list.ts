import { checkListPrefix, complaintOfPath, keyFolder, inKeyOrder } from '../keys.ts';
import type { StoredObject } from '../storage.ts';
import { entriesOf } from './files.ts';
import type { SftpSession } from './session.ts';

/** Lists files by key prefix, in key order; skips symlinks and uploads in progress. */
export async function* listSftpFiles(
  session: SftpSession,
  pathOf: (key: string) => string,
  prefix: string,
): AsyncGenerator<StoredObject> {
  checkListPrefix(prefix);
  const start = keyFolder(prefix);
  yield* below(session, pathOf, start, prefix);
}

async function* below(
  session: SftpSession,
  pathOf: (key: string) => string,
  folder: string,
  prefix: string,
): AsyncGenerator<StoredObject> {
  const entries = (await entriesOf(session, pathOf(folder))) ?? [];
  const seen = entries
    .filter(({ filename, attrs }) => (attrs.isFile() || attrs.isDirectory()) && !complaintOfPath(filename))
    .map(({ filename: name, attrs }) => ({ name, attrs, isFolder: attrs.isDirectory() }));
  for (const { name, attrs, isFolder } of inKeyOrder(seen)) {
    const key = folder ? `${folder}/${name}` : name;
    if (!key.startsWith(prefix) && !(isFolder && prefix.startsWith(`${key}/`))) continue;
    if (isFolder) yield* below(session, pathOf, key, prefix);
    else yield { key, bytes: attrs.size, modifiedAt: attrs.mtime * 1000 };
  }
}
