import type { EngineClient } from '../../runtime/docker/engine-client.ts';
import { EngineError } from '../../runtime/docker/engine-errors.ts';
import type { Labels } from '../../runtime/docker/engine-types.ts';
import { unfinishedLabel } from '../image-names.ts';
import { type Kept, removeUntil } from './remove-until.ts';

type Layered = {
  Id: string;
  ParentId: string;
  RepoTags: string[] | null;
  Labels: Labels | null;
  Size: number;
  Created: number;
};

/** The classic builder's cache are the images of its steps. Ours carry a label; those that a finished image stands on have it
 * among their descendants, and stay. */
export async function pruneClassic(engine: EngineClient, instanceId: string, maxBytes: number): Promise<Kept> {
  const images = await engine.json<Layered[]>({ method: 'GET', path: '/images/json', query: { all: true } });
  const byId = new Map(images.map((image) => [image.Id, image]));
  const childrenOf = Map.groupBy(images, ({ ParentId }) => ParentId);
  const isStep = ({ Labels, RepoTags }: Layered) =>
    Labels?.[unfinishedLabel] === instanceId && !RepoTags?.some((tag) => tag !== '<none>:<none>');
  const isOnlySteps = (image: Layered): boolean =>
    isStep(image) && (childrenOf.get(image.Id) ?? []).every((child) => isOnlySteps(child));
  return removeUntil(
    maxBytes,
    images.filter(isOnlySteps).map(({ Id, ParentId, Size, Created }) => ({
      id: Id,
      bytes: Math.max(0, Size - (byId.get(ParentId)?.Size ?? 0)),
      usedAt: Created,
      idle: maxBytes === 0,
      children: (childrenOf.get(Id) ?? []).map((child) => child.Id),
    })),
    (id) => removeImage(engine, id),
  );
}

async function removeImage(engine: EngineClient, id: string): Promise<boolean> {
  try {
    await engine.json({ method: 'DELETE', path: `/images/${id}`, query: { noprune: true, force: false } });
    return true;
  } catch (error) {
    // In use by a build at this moment, or gone already.
    if (error instanceof EngineError && (error.status === 409 || error.status === 404)) return false;
    throw error;
  }
}
