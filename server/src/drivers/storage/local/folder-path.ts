import { mkdir } from 'node:fs/promises';
import { HeldFolder } from '../../../lib/held-folder.ts';
import { StorageError } from '../storage.ts';

/** A held folder, and the path from there to the destination. */
export interface FolderPath {
  top: HeldFolder;
  parts: string[];
}

/** Opens the folder at the end of the path without following symlinks. Closes `top`. Returns undefined if a part is
 * missing, unless `isMade`. */
export async function openFolderAt({ top, parts }: FolderPath, isMade: boolean): Promise<HeldFolder | undefined> {
  let at = top;
  try {
    for (const part of parts) {
      const next = (await at.enter(part)) ?? (isMade ? await made(at, part) : undefined);
      await at.close();
      if (!next) return undefined;
      at = next;
    }
    return at;
  } catch (error) {
    await at.close();
    throw error;
  }
}

async function made(above: HeldFolder, part: string): Promise<HeldFolder> {
  await mkdir(above.at(part), 0o700).catch((error: NodeJS.ErrnoException) => {
    // Another call was faster, or the name is not a folder: entering it tells.
    if (error.code !== 'EEXIST') throw error;
  });
  await above.sync();
  const next = await above.enter(part);
  if (!next) throw new StorageError('misconfigured', `${part} in the path is not a folder`);
  return next;
}
