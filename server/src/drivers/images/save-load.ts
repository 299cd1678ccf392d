import { Readable } from 'node:stream';
import type { EngineClient } from '../runtime/docker/engine/client.ts';
import { jsonLines } from './json-lines.ts';

/** A large image over a slow connection takes long; the caller has its own deadline. */
const longestMs = 3_600_000;

/** Exports an image with its name. */
export const saveImage = (engine: EngineClient, image: string, signal: AbortSignal): Promise<Readable> =>
  engine.open({ method: 'GET', path: `/images/${encodeURIComponent(image)}/get`, signal });

export async function loadImage(engine: EngineClient, archive: Readable, signal: AbortSignal): Promise<void> {
  const answer = await engine.open({
    method: 'POST',
    path: '/images/load',
    query: { quiet: true },
    headers: { 'content-type': 'application/x-tar' },
    body: archive,
    signal,
    deadlineMs: longestMs,
  });
  for await (const { error } of jsonLines<{ error?: string }>(answer))
    if (error) throw new Error(`the image cannot be transferred: ${error}`);
}
