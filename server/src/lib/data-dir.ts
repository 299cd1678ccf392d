import { chmodSync, mkdirSync, readFileSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

// SQLite's locks are not to be trusted on these: NFS, SMB, CIFS, SMB2, AFS.
const networkFileSystems = new Set([0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x5346414f]);

export class DataDirError extends Error {
  override name = 'DataDirError';
}

export type DataDirLock = { release(): void };

/** Makes the folder and holds it for this process. The kernel lets go when the process ends, however it ends. */
export function lockDataDir(dataDir: string): DataDirLock {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    chmodSync(dataDir, 0o700);
  } catch (error) {
    throw new DataDirError(`${dataDir} cannot be used: ${(error as Error).message}`);
  }
  if (networkFileSystems.has(statfsSync(dataDir).type >>> 0))
    throw new DataDirError(`${dataDir} is on a network file system; use a local disk, or DATABASE_URL`);
  const pidFile = join(dataDir, 'service.pid');
  const lock = new DatabaseSync(join(dataDir, 'service.lock'), { timeout: 0 });
  try {
    lock.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    const { errcode, message } = error as Error & { errcode?: number };
    if (errcode !== 5) throw new DataDirError(`${dataDir} cannot be locked: ${message}`);
    throw new DataDirError(`${dataDir} is in use by another Mooring (process ${readPid(pidFile)})`);
  }
  writeFileSync(pidFile, `${process.pid}\n`);
  return { release: () => lock.close() };
}

function readPid(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return 'unknown';
  }
}
