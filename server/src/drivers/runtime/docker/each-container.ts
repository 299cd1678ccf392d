import { isReplica, replicaOf } from '../replicas.ts';
import type { OwnContainer } from './own-containers.ts';
import type { RuntimeParts } from './runtime-parts.ts';
import { foldersOf, mainService } from './service/files.ts';

/** Runs the task concurrently for the containers of a deployment, or of one of its services, each under the lock of
 * its service. */
export async function forEachContainer<T>(
  parts: RuntimeParts,
  deploymentId: string,
  service: string | undefined,
  task: (container: OwnContainer) => Promise<T>,
  replica?: number,
): Promise<T[]> {
  const { containers, places } = parts;
  const list = (name = service) => containers.list({ deployment: deploymentId, ...(name && { service: name }) });
  const there = await parts.steadily(() => list());
  // A service that is starting has a folder, and perhaps no container yet.
  const begun = foldersOf(places, deploymentId, service).map((each) => each.service ?? mainService);
  const names = new Set([...there.map(({ owner }) => owner.service), ...begun]);
  const done = [...names].map((name) =>
    parts.alone({ deploymentId, service: name }, async () => {
      const own = (await list(name)).filter(({ owner }) => isReplica(owner, replica));
      return Promise.all(own.toSorted((a, b) => replicaOf(a.owner) - replicaOf(b.owner)).map(task));
    }),
  );
  return (await Promise.all(done)).flat();
}
