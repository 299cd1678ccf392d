import { isDeepStrictEqual } from 'node:util';
import type { EngineClient } from '../runtime/docker/engine/client.ts';
import { undefinedIfGone } from '../runtime/docker/engine/errors.ts';
import { configuredHints } from './registry/hints.ts';
import { RegistryError } from './registry/image-registry.ts';
import { pushCredentialOf } from './registry/push.ts';
import { PullFailedError } from './errors.ts';
import { imageName } from './image-names.ts';
import type { ImageStore } from './image-store.ts';
import type { BuiltImage, ImageOwner, PushedImage, PushTarget, RunOptions } from './images.ts';
import { pullImage } from './pull.ts';
import { parseReference } from './references.ts';

/** Pulls an image that another engine built for this owner, and gives it our name. */
export async function pullPushedImage(
  { engine, store, keepsName }: { engine: EngineClient; store: ImageStore; keepsName: boolean },
  { owner, pushed, from, run }: { owner: ImageOwner; pushed: PushedImage; from: PushTarget; run: RunOptions },
): Promise<BuiltImage> {
  const { repository, tag, digest } = pushed;
  const name = `${repository}:${tag}`;
  await pullImage(engine, name, [pushCredentialOf(from)], run).catch((error: unknown) => {
    if (!(error instanceof PullFailedError)) throw error;
    throw new RegistryError(`the image of the build worker was not received: ${error.message}`, configuredHints.away);
  });
  const details = await store.details(name);
  const wanted = parseReference(`${repository}@${digest}`);
  // The engine writes names of Docker Hub without its host.
  if (!details?.RepoDigests?.some((each) => isDeepStrictEqual(parseReference(each), wanted)))
    throw new PullFailedError(`${name} is not the image ${digest} that the worker sent`);
  const image = imageName(owner);
  const [repo, version] = image.split(':') as [string, string];
  await engine.json({ method: 'POST', path: `/images/${details.Id}/tag`, query: { repo, tag: version } });
  if (!store.ownerBy(image, details)) {
    await removeName(engine, image);
    throw new PullFailedError(`${name} was not built for this deployment`);
  }
  // The nodes of a Swarm get it by this name.
  if (!keepsName) await removeName(engine, name);
  return { image, imageId: details.Id, bytes: details.Size };
}

/** Removes a name of an image that has another one. */
export const removeName = (engine: EngineClient, name: string) =>
  undefinedIfGone(engine.json({ method: 'DELETE', path: `/images/${name}`, query: { noprune: true, force: false } }));
