import { constants } from 'node:fs';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import type { HeldFolder } from '../../../lib/held-folder.ts';
import { consumeBody } from '../incoming-body.ts';
import { checkObjectKey, keyFolder, keyName } from '../keys.ts';
import { checkRange } from '../range.ts';
import { type Storage, StorageError } from '../storage.ts';
import { Sweep } from '../sweeping.ts';
import { folderStorageError } from './errors.ts';
import { listFolder } from './list.ts';
import { putLocalFile } from './put-file.ts';
import { readAheadStream } from './read-ahead.ts';
import { sweepFolder } from './sweep.ts';
import { type FolderPath, openFolderAt } from './folder-path.ts';

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;

/** Stores objects as files below a folder. `locate` is called for each operation, and its folder is held meanwhile:
 * swapping a folder for a symlink has no effect. */
export function createFolderStorage(locate: () => Promise<FolderPath>): Storage {
  /** Opens the folder of a key. */
  const enter = async (folder: string, isMade: boolean): Promise<HeldFolder | undefined> => {
    const { top, parts } = await locate();
    return inWords(folder, openFolderAt({ top, parts: [...parts, ...folder.split('/').filter(Boolean)] }, isMade));
  };
  return {
    put: (key, body, options) =>
      consumeBody(body, options, async () => {
        checkObjectKey(key);
        const folder = (await enter(keyFolder(key), true))!;
        try {
          return await putLocalFile(folder, key, body, options);
        } finally {
          await folder.close();
        }
      }),
    async get(key, { signal, range }) {
      signal.throwIfAborted();
      checkObjectKey(key);
      checkRange(range);
      const folder = await enter(keyFolder(key), false);
      const missing = () => new StorageError('not_found', `${key} does not exist`);
      if (!folder) throw missing();
      try {
        const file = await openFile(folder, key);
        if (!file) throw missing();
        return readAheadStream(file, range, signal);
      } finally {
        await folder.close();
      }
    },
    list: (prefix, options) => listFolder((folder) => enter(folder, false), prefix, options),
    async delete(key, { signal }) {
      signal.throwIfAborted();
      checkObjectKey(key);
      const folder = await enter(keyFolder(key), false);
      if (!folder) return;
      try {
        await inWords(key, unlink(folder.at(keyName(key)))).catch((error: unknown) => {
          if (!(error instanceof StorageError && error.code === 'not_found')) throw error;
        });
        await folder.sync();
      } finally {
        await folder.close();
      }
    },
    async sweep({ home = '', ...options }) {
      const sweep = new Sweep(options, folderStorageError);
      await sweep.attempt('the target', async () => {
        const folder = await enter(home, false);
        if (!folder) return;
        try {
          await sweepFolder(folder, home, sweep);
        } finally {
          await folder.close();
        }
      });
      return sweep.swept;
    },
    close: async () => {},
  };
}

const inWords = <T>(what: string, attempt: Promise<T>): Promise<T> =>
  attempt.catch((error: unknown) => {
    throw folderStorageError(error, what);
  });

/** Opens the file of a key; undefined for a symlink, a folder, a pipe or a missing file. */
async function openFile(folder: HeldFolder, key: string): Promise<FileHandle | undefined> {
  const opening = open(folder.at(keyName(key)), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  const file = await opening.catch((error: NodeJS.ErrnoException) => {
    if (['ENOENT', 'ELOOP', 'ENXIO'].includes(error.code ?? '')) return undefined;
    throw folderStorageError(error, key);
  });
  if (!file || (await file.stat()).isFile()) return file;
  await file.close();
  return undefined;
}
