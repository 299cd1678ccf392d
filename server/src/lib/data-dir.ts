import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StartError } from '../errors.ts';

// SQLite's locks are not to be trusted on these: NFS, SMB, CIFS, SMB2, AFS.
const networkFileSystems = new Set([0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x5346414f]);

export interface DataDirLock {
  /** Leaves word in the folder of where the service listens, for commands on the same machine. */
  announce(url: string): void;
  release(): void;
}

export type ServiceNotice = { pid: number; url?: string };

/** Makes the folder and holds it for this process. The kernel lets go when the process ends, however it ends. */
export function lockDataDir(dataDir: string): DataDirLock {
  prepareFolder(dataDir);
  const lock = new DatabaseSync(join(dataDir, 'service.lock'), { timeout: 0 });
  try {
    lock.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    const { errcode, message } = error as Error & { errcode?: number };
    if (errcode !== 5) throw new StartError(`${dataDir} cannot be locked: ${message}`);
    throw new StartError(`${dataDir} is in use by another Mooring (process ${readNotice(dataDir)?.pid ?? 'unknown'})`);
  }
  const leave = (notice: ServiceNotice) => writeFileSync(noticeFile(dataDir), `${JSON.stringify(notice)}\n`);
  leave({ pid: process.pid });
  return {
    announce: (url) => leave({ pid: process.pid, url }),
    release() {
      rmSync(noticeFile(dataDir), { force: true });
      lock.close();
    },
  };
}

/** What the service that runs on the folder, or the last one that was killed there, left word of. */
export function readNotice(dataDir: string): ServiceNotice | undefined {
  const file = noticeFile(dataDir);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as ServiceNotice) : undefined;
}

const noticeFile = (dataDir: string) => join(dataDir, 'service.json');

function prepareFolder(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    chmodSync(dataDir, 0o700);
  } catch (error) {
    throw new StartError(`${dataDir} cannot be used: ${(error as Error).message}`);
  }
  if (networkFileSystems.has(statfsSync(dataDir).type >>> 0))
    throw new StartError(`${dataDir} is on a network file system; use a local disk, or DATABASE_URL`);
}
