import type { EngineClient } from '../../runtime/docker/engine/client.ts';
import { undefinedIfGone } from '../../runtime/docker/engine/errors.ts';
import { EngineAwayError } from '../../runtime/errors.ts';
import { provideReleaseImage } from '../../runtime/swarm/place-release.ts';
import type { ImageRegistry } from './image-registry.ts';
import { pushToRegistry } from './push.ts';

/** Brings an image to an engine from a node that has it: projects may have been deployed through another server when
 * it was built. Does nothing if no node has it. */
export async function fetchImage(
  engine: EngineClient,
  imageId: string,
  registry: ImageRegistry,
  otherEngines: () => Promise<readonly EngineClient[]>,
): Promise<void> {
  if (await hasImage(engine, imageId)) return;
  for (const other of await otherEngines())
    if (await hasImage(other, imageId).catch(falseIfAway))
      return provideReleaseImage(engine, imageId, await pushToRegistry(other, imageId, registry));
}

const hasImage = async (engine: EngineClient, imageId: string): Promise<boolean> =>
  (await undefinedIfGone(engine.json({ method: 'GET', path: `/images/${imageId}/json` }))) !== undefined;

function falseIfAway(error: unknown): false {
  if (error instanceof EngineAwayError) return false;
  throw error;
}
