import { mkdir } from 'node:fs/promises';
import { HeldFolder } from '../../../lib/held-folder.ts';
import { StorageError } from '../storage.ts';

/** A folder that is held, and the parts of the path from there to the target. */
export interface FolderPath {
  top: HeldFolder;
  parts: string[];
}

/** The folder at the end of the way, held; no link on it is followed. Closes where it began. Undefined if a part is
 * missing, unless missing ones are to be made. */
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
    // Another call was faster, or something that is no folder has the name: entering tells.
    if (error.code !== 'EEXIST') throw error;
  });
  await above.sync();
  const next = await above.enter(part);
  if (!next) throw new StorageError('misconfigured', `${part} on the way to the target is no folder`);
  return next;
}
