import { isOfStack, type OwnContainer } from './own-containers.ts';
import type { RuntimeParts } from './runtime-parts.ts';
import { foldersOf } from './service-files.ts';

/** Runs the task for the containers of a deployment, or of one service of it: that of an app, and those of services side by
 * side, each while nobody else does anything with it. */
export async function forEachContainer<T>(
  parts: RuntimeParts,
  deploymentId: string,
  service: string | undefined,
  task: (container: OwnContainer) => Promise<T>,
): Promise<T[]> {
  const { containers, places } = parts;
  const list = (name = service) => containers.list({ deployment: deploymentId, ...(name && { service: name }) });
  const { done, services } = await parts.alone({ deploymentId }, async () => {
    const known = await list();
    const ofApp = known.filter((each) => !isOfStack(each));
    const there = known.filter(isOfStack).map(({ owner }) => owner.service);
    return { done: await Promise.all(ofApp.map(task)), services: there };
  });
  // One whose start is under way has a folder, and perhaps no container yet.
  const begun = foldersOf(places, deploymentId, service).flatMap((each) => each.service ?? []);
  const ofServices = [...new Set([...services, ...begun])].map((name) =>
    parts.alone({ deploymentId, service: name }, async () =>
      Promise.all((await list(name)).filter(isOfStack).map(task)),
    ),
  );
  return [...done, ...(await Promise.all(ofServices)).flat()];
}
