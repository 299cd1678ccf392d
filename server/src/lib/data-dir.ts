import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StartError } from '../errors.ts';
import { lockFile } from './lock-file.ts';

// SQLite's locks are not reliable on these: NFS, SMB, CIFS, SMB2, AFS.
const networkFileSystems = new Set([0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x5346414f]);

export interface DataDirLock {
  /** Records the service's URL in the folder, for commands on the same machine. */
  announce(url: string): void;
  release(): void;
}

export type ServiceNotice = { pid: number; url?: string };

/** Creates the data folder and locks it for this process. */
export function lockDataDir(dataDir: string, warn: (message: string) => void): DataDirLock {
  prepareFolder(dataDir);
  const inUse = () => `${dataDir} is in use by another Mooring (process ${readNotice(dataDir)?.pid ?? 'unknown'})`;
  const lock = lockFile(join(dataDir, 'service.lock'), () => new StartError(inUse()));
  const announce = (url?: string) => {
    try {
      writeFileSync(noticeFile(dataDir), `${JSON.stringify({ pid: process.pid, url })}\n`);
    } catch (error) {
      // A full disk does not prevent the start; commands then have to guess the URL.
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

/** Reads the notice of the service that runs on the folder, or of the last one that was killed. */
export function readNotice(dataDir: string): ServiceNotice | undefined {
  const text = existsSync(noticeFile(dataDir)) ? readFileSync(noticeFile(dataDir), 'utf8') : '';
  // Empty after a full disk.
  return text.trim() ? (JSON.parse(text) as ServiceNotice) : undefined;
}

const noticeFile = (dataDir: string) => join(dataDir, 'service.json');

function prepareFolder(dataDir: string): void {
  try {
    // Apps run as other users and must be able to pass through; our own files inside are protected individually.
    mkdirSync(dataDir, { recursive: true, mode: 0o711 });
    chmodSync(dataDir, 0o711);
  } catch (error) {
    throw new StartError(`${dataDir} cannot be used: ${(error as Error).message}`);
  }
  if (networkFileSystems.has(statfsSync(dataDir).type >>> 0))
    throw new StartError(`${dataDir} is on a network file system; use a local disk, or DATABASE_URL`);
}
