import { statfs } from 'node:fs/promises';
import { hostname } from 'node:os';
import type { EngineClient } from './client.ts';

/** Disk that the engine stores images and containers on. */
export interface EngineDisk {
  folder: string;
  freeBytes: number;
}

/** Returns undefined when the engine is not on this machine: its folder then means another disk. */
export async function engineDisk(engine: EngineClient): Promise<EngineDisk | undefined> {
  type Info = { DockerRootDir: string; Name: string; OperatingSystem: string };
  const { DockerRootDir: folder, Name, OperatingSystem } = await engine.json<Info>({ method: 'GET', path: '/info' });
  if (Name !== hostname() || OperatingSystem === 'Docker Desktop') return undefined;
  try {
    const { bavail, bsize } = await statfs(folder);
    return { folder, freeBytes: bavail * bsize };
  } catch {
    // Missing or not readable: the engine itself reports when it is full.
    return undefined;
  }
}
