import { isLeftover } from '../keys.ts';
import type { Sweep } from '../sweeping.ts';
import { closeHandle, entriesOf, removeFile, statOf } from './files.ts';
import { temporaryPartPath } from './put.ts';
import type { SftpSession } from './session.ts';

/** Removes leftovers of killed puts in and below a folder; follows no symlinks. */
export async function sweepFiles(
  session: SftpSession,
  pathOf: (key: string) => string,
  home: string,
  sweep: Sweep,
): Promise<void> {
  const below = async (folder: string, now: number): Promise<void> => {
    for (const { filename, attrs } of (await entriesOf(session, pathOf(folder))) ?? []) {
      if (!sweep.goesOn()) return;
      if (filename === '.' || filename === '..') continue;
      const key = folder ? `${folder}/${filename}` : filename;
      if (attrs.isDirectory()) await sweep.attempt(key, () => below(key, now));
      else if (attrs.isFile() && isLeftover(filename) && sweep.isOld(attrs.mtime * 1000, now))
        await sweep.attempt(key, async () => {
          await removeFile(session, pathOf(key));
          sweep.removed(key);
        });
    }
  };
  const start = home.replace(/\/$/, '');
  await sweep.attempt('the target', async () =>
    below(start, await clockOf(session, temporaryPartPath(pathOf(`${home}x`)))),
  );
}

/** Returns the server's current time. */
async function clockOf(session: SftpSession, path: string): Promise<number> {
  await closeHandle(session, await session.ask<Buffer>((sftp, done) => sftp.open(path, 'wx', { mode: 0o600 }, done)));
  try {
    return (await statOf(session, path)).mtime * 1000;
  } finally {
    await removeFile(session, path);
  }
}
