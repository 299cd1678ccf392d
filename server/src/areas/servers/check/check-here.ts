import { statfs } from 'node:fs/promises';
import { machine, release, type } from 'node:os';
import { EngineClient, engineAt } from '../../../drivers/runtime/docker/engine/client.ts';
import { engineInfo, shownEngine } from './engine-info.ts';
import type { ServerCheck } from './outcome.ts';

/** Checks the machine that Mooring runs on. */
export async function checkHere(dockerHost: string, allMs: number): Promise<ServerCheck> {
  const client = new EngineClient(engineAt(dockerHost));
  try {
    const engine = await engineInfo(client, AbortSignal.timeout(allMs));
    return {
      ok: true,
      reached: true,
      latencyMs: 0,
      system: `${type()} ${release()}`,
      architecture: machine(),
      rights: process.getuid?.() === 0 ? 'root' : 'none',
      engine: shownEngine(engine),
      disk: await diskAt(engine.dataRoot ?? '/'),
    };
  } finally {
    client.close();
  }
}

async function diskAt(path: string): Promise<ServerCheck['disk']> {
  try {
    const { bsize, bavail, blocks } = await statfs(path);
    return { path, freeBytes: bsize * bavail, totalBytes: bsize * blocks };
  } catch (error) {
    // The engine's data is remote, or not accessible to us.
    if (['ENOENT', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '')) return null;
    throw error;
  }
}
