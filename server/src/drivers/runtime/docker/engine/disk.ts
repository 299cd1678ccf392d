import { statfs } from 'node:fs/promises';
import { hostname } from 'node:os';
import type { EngineClient } from './client.ts';

/** The disk that an engine keeps its images and containers on. */
export interface EngineDisk {
  folder: string;
  freeBytes: number;
}

/** Undefined when the engine is not on this machine, whatever leads to it: then its folder says nothing, or means another
 * disk. */
export async function engineDisk(engine: EngineClient): Promise<EngineDisk | undefined> {
  type Info = { DockerRootDir: string; Name: string; OperatingSystem: string };
  const { DockerRootDir: folder, Name, OperatingSystem } = await engine.json<Info>({ method: 'GET', path: '/info' });
  if (Name !== hostname() || OperatingSystem === 'Docker Desktop') return undefined;
  try {
    const { bavail, bsize } = await statfs(folder);
    return { folder, freeBytes: bavail * bsize };
  } catch {
    // Not there, or not ours to look at: the engine will say itself when it is full.
    return undefined;
  }
}
