import { isAbsolute, relative } from 'node:path';
import { HeldFolder } from '../../../lib/held-folder.ts';
import { type FieldComplaint, StorageError, type StorageKind, type StorageValues } from '../storage.ts';
import { storageField, requiredValue, textValue } from '../values.ts';
import { createFolderStorage } from './folder-storage.ts';
import { folderStorageError } from './errors.ts';
import { isInFolder, resolveSymlinks } from './local-root.ts';

/** A folder on the machine that the service runs on, inside the root that its owner has set. */
export const localStorageKind: StorageKind = {
  kind: 'local',
  label: 'Folder on this machine',
  help: 'A folder on the machine that Mooring runs on. Backups are lost with that machine, so keep a copy elsewhere.',
  fields: [
    storageField(
      'endpoint',
      'Folder',
      'Absolute path inside BACKUP_LOCAL_ROOT, the folder that this instance allows for backups.',
      {
        isRequired: true,
        maxLength: 1024,
      },
    ),
  ],
  async check(values, { localRoot }) {
    const found = await placeOf(values, localRoot);
    return 'field' in found ? found : undefined;
  },
  async open(values, { localRoot }) {
    requiredValue(values, 'endpoint');
    // Checked for each call: a folder inside may have become a symlink.
    return createFolderStorage(async () => {
      const found = await placeOf(values, localRoot);
      if ('field' in found) throw new StorageError('misconfigured', `${found.field} ${found.message}`);
      return { top: await holdReal(found.root), parts: found.parts };
    });
  },
};

type Place = { root: string; parts: string[] };

/** Returns the root and the path from there, with symlinks resolved, or the complaint. */
async function placeOf(values: StorageValues, localRoot: string | undefined): Promise<Place | FieldComplaint> {
  const wrong = (message: string): FieldComplaint => ({ field: 'endpoint', message });
  const path = textValue(values, 'endpoint') ?? '';
  if (localRoot === undefined)
    return wrong(
      'cannot be used: folders of this machine are not allowed as a destination. To allow them, start Mooring with BACKUP_ALLOW_LOCAL_DESTINATION=true and BACKUP_LOCAL_ROOT, a folder that exists.',
    );
  if (!isAbsolute(path)) return wrong('must be an absolute path');
  if (path.includes('\0')) return wrong('contains a character that is not allowed');
  if (path.split('/').includes('..')) return wrong('must not contain ".."');
  const [root, place] = await Promise.all([resolveSymlinks(localRoot), resolveSymlinks(path)]).catch(() => []);
  if (root === undefined || place === undefined || !isInFolder(place, root))
    return wrong('must be inside the folder that is allowed for backups (BACKUP_LOCAL_ROOT)');
  return { root, parts: relative(root, place).split('/').filter(Boolean) };
}

/** Opens the root if its path has not changed since it was resolved. */
async function holdReal(root: string): Promise<HeldFolder> {
  const held = await HeldFolder.open(root).catch((error: unknown) => {
    throw folderStorageError(error, 'the folder that is allowed for backups');
  });
  if ((await held.path()) === root) return held;
  await held.close();
  throw new StorageError('misconfigured', 'the folder that is allowed for backups was moved');
}
