import { mkdir, realpath } from 'node:fs/promises';
import { HeldFolder } from '../../lib/held-folder.ts';
import { createFolderStorage } from './local/folder-storage.ts';
import { folderStorageError } from './local/errors.ts';
import { createSftpStorage } from './sftp/storage.ts';
import { type Storage, StorageError, type StorageKind } from './storage.ts';
import { storageField, requiredValue } from './values.ts';

const folderName = 'mooring-backups';

/** A folder on a server that Mooring knows already: over its connection, or on this machine. */
export const platformServerKind: StorageKind = {
  kind: 'platform_server',
  label: 'One of your servers',
  help: `The folder ${folderName} on a server of this organization.`,
  fields: [
    storageField('serverId', 'Server', 'Archives are stored there over the connection that deployments use.', {
      isRequired: true,
      type: 'server',
    }),
  ],
  check: async () => undefined,
  async open(values, { serverOf }) {
    const server = await serverOf(requiredValue(values, 'serverId'));
    if (!server) throw new StorageError('misconfigured', 'the server of this destination was removed');
    if (!('use' in server)) return onThisMachine(server.folder);
    // Relative to the start folder of the server's user.
    return createSftpStorage({
      base: `${folderName}/`,
      use: (task, options) => server.use(task, options),
      close: () => {},
    });
  },
};

/** Unlike a local destination, the folder is our choice: it is created, and symlinks on its path are followed. */
const onThisMachine = (folder: string): Storage =>
  createFolderStorage(async () => {
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      return { top: await HeldFolder.open(await realpath(folder)), parts: [] };
    } catch (error) {
      throw folderStorageError(error, folder);
    }
  });
