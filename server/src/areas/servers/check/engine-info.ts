import type { EngineClient } from '../../../drivers/runtime/docker/engine/client.ts';

export type Engine = { version: string | null; dataRoot: string | null; reason: string | null };

/** Returns version and data root of an engine, or why it does not respond. */
export async function engineInfo(client: EngineClient, signal: AbortSignal): Promise<Engine> {
  try {
    const info = await client.json<{ ServerVersion: string; DockerRootDir: string }>({
      method: 'GET',
      path: '/info',
      signal,
      deadlineMs: 10_000,
    });
    return { version: info.ServerVersion, dataRoot: info.DockerRootDir, reason: null };
  } catch (error) {
    signal.throwIfAborted();
    return { version: null, dataRoot: null, reason: `Docker does not respond: ${innermost(error)}` };
  }
}

const innermost = (error: unknown): string =>
  error instanceof Error ? (error.cause ? innermost(error.cause) : error.message) : String(error);
