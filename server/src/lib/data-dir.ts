import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StartError } from '../errors.ts';
import { lockFile } from './lock-file.ts';

// SQLite's locks are not to be trusted on these: NFS, SMB, CIFS, SMB2, AFS.
const networkFileSystems = new Set([0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x5346414f]);

export interface DataDirLock {
  /** Leaves word in the folder of where the service listens, for commands on the same machine. */
  announce(url: string): void;
  release(): void;
}

export type ServiceNotice = { pid: number; url?: string };

/** Makes the folder and holds it for this process. */
export function lockDataDir(dataDir: string, warn: (message: string) => void): DataDirLock {
  prepareFolder(dataDir);
  const inUse = () => `${dataDir} is in use by another Mooring (process ${readNotice(dataDir)?.pid ?? 'unknown'})`;
  const lock = lockFile(join(dataDir, 'service.lock'), () => new StartError(inUse()));
  const announce = (url?: string) => {
    try {
      writeFileSync(noticeFile(dataDir), `${JSON.stringify({ pid: process.pid, url })}\n`);
    } catch (error) {
      // A full disk does not keep the service from starting; only commands will have to guess where it listens.
      warn(`${noticeFile(dataDir)} was not written: ${(error as Error).message}`);
    }
  };
  announce();
  return {
    announce,
    release() {
      rmSync(noticeFile(dataDir), { force: true });
      lock.release();
    },
  };
}

/** What the service that runs on the folder, or the last one that was killed there, left word of. */
export function readNotice(dataDir: string): ServiceNotice | undefined {
  const text = existsSync(noticeFile(dataDir)) ? readFileSync(noticeFile(dataDir), 'utf8') : '';
  // Empty after a full disk.
  return text.trim() ? (JSON.parse(text) as ServiceNotice) : undefined;
}

const noticeFile = (dataDir: string) => join(dataDir, 'service.json');

function prepareFolder(dataDir: string): void {
  try {
    // Apps run as users of their own and have to pass through; what is ours in there is closed to them one by one.
    mkdirSync(dataDir, { recursive: true, mode: 0o711 });
    chmodSync(dataDir, 0o711);
  } catch (error) {
    throw new StartError(`${dataDir} cannot be used: ${(error as Error).message}`);
  }
  if (networkFileSystems.has(statfsSync(dataDir).type >>> 0))
    throw new StartError(`${dataDir} is on a network file system; use a local disk, or DATABASE_URL`);
}
