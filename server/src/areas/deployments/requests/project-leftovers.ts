import { z } from 'zod';
import type { Db, Sql, Trx } from '../../../db/database.ts';
import { storedJson } from '../../../db/stored-json.ts';
import { endProcessesOfUser } from '../../../drivers/host/processes.ts';
import { conflict } from '../../../errors.ts';
import { limitConcurrency } from '../../../lib/concurrency.ts';
import { removeTree } from '../../../lib/remove-tree.ts';
import { userOf } from '../engine/project-users.ts';
import { removeArtifact } from '../model/artifact.ts';
import { selectTasksOfKind } from '../model/background-store.ts';
import type { BackgroundTasks } from '../upkeep/background-tasks.ts';
import { partsIfKnown, type Machines } from '../model/machines.ts';
import { PackageStore } from '../build/packages/package-store.ts';
import type { ContainerParts, Parts } from '../model/parts.ts';

const kind = 'remove_project';
const atOnce = 8;
const removalMs = 120_000;

/** What there is of a project that is deleted, outside of the database. */
const ProjectRemoval = z.object({
  organizationId: z.string(),
  projectId: z.string(),
  /** Whether its volumes go too. */
  volumes: z.boolean(),
  /** The servers that it was on; null for this machine. */
  servers: z.array(z.string().nullable()),
  deployments: z.array(
    z.object({
      id: z.string(),
      artifactId: z.string(),
      imageDigest: z.string().nullable(),
      serverId: z.string().nullable(),
    }),
  ),
});
export type ProjectRemoval = z.infer<typeof ProjectRemoval>;
const readRemoval = storedJson('background_tasks.details', ProjectRemoval);

type Deps = {
  db: Db;
  machines: Machines;
  tasks: BackgroundTasks;
  /** Resolves when no worker of this replica is busy with the deployment any more. */
  ended: (deploymentId: string) => Promise<void>;
};

/** Removes what is left of projects that are gone: their containers may take their time to stop. */
export class ProjectLeftovers {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
    deps.tasks.handle(kind, (details) => this.#remove(readRemoval(details)));
  }

  /** In the transaction that deletes the project. */
  note(trx: Trx, removal: ProjectRemoval): Promise<void> {
    return this.#deps.tasks.add(trx, kind, removal.projectId, removal);
  }

  /** May be repeated after a kill. */
  async #remove(removal: ProjectRemoval): Promise<void> {
    const { db, machines, ended } = this.#deps;
    await Promise.all(removal.deployments.map(({ id }) => ended(id)));
    for (const serverId of removal.servers) {
      const parts = await partsIfKnown(machines, { organizationId: removal.organizationId, serverId });
      if (parts) await removeFrom(parts, removal);
    }
    const { folders, isolation } = machines.here;
    const uid = isolation.kind === 'users' ? await userOf(db, removal.projectId) : undefined;
    // A daemon of a build, or of an app, that had hidden where it came from.
    if (uid !== undefined) await endProcessesOfUser(uid);
    await removeTree(folders.home(removal.projectId));
    if (removal.volumes) await removeTree(folders.volumes(removal.projectId));
    await new PackageStore(folders.packages(removal.organizationId)).forget(removal.projectId);
  }
}

async function removeFrom(parts: Parts, { projectId, organizationId, volumes, deployments }: ProjectRemoval) {
  const { host, runtime, containers, contents, server } = parts;
  const own = deployments.filter(({ serverId }) => serverId === (server?.id ?? null));
  // Also those of deployments that were deleted before, when others had taken them over.
  const running = (await runtime.list()).filter(({ owner }) => owner.projectId === projectId);
  const ids = new Set([...own.map(({ id }) => id), ...running.map(({ owner }) => owner.deploymentId)]);
  const limited = limitConcurrency(atOnce);
  const removed = [...ids].map((id) =>
    limited(async () => {
      await host.endWork(id);
      await runtime.remove(id);
    }),
  );
  await Promise.all(removed);
  for (const { artifactId, imageDigest } of own)
    await removeArtifact(parts, {
      artifactId,
      imageDigest,
      organizationId,
      projectId,
    });
  if (containers) await removeImages(containers, projectId);
  // What containers have written stays, as volumes do, unless somebody wants to be rid of it.
  await contents.removeProject(projectId, { binds: volumes });
  if (volumes) await containers?.services.removeVolumes({ projectId });
  await containers?.removeUnusedFiles?.();
}

async function removeImages({ images }: ContainerParts, projectId: string): Promise<void> {
  const own = (await images.list()).filter(({ owner }) => owner.projectId === projectId);
  for (const { image } of own) await images.remove(image);
}

/** Throws while something of a deleted project is still being removed from the server: nobody could afterwards. A server that
 * does not answer any more holds its deletion up for `removalMs`. */
export async function requireNoLeftoversOn(sql: Sql, serverId: string): Promise<void> {
  const removals = (await selectTasksOfKind(sql, kind)).filter(({ details }) =>
    readRemoval(details).servers.includes(serverId),
  );
  const leftMs = Math.max(0, ...removals.map(({ createdAt }) => createdAt + removalMs - Date.now()));
  if (leftMs === 0) return;
  throw conflict(
    'A deleted project is still being removed from this server. Try again in a moment; ' +
      `if the server no longer responds, it can be deleted in ${Math.ceil(leftMs / 1000)} s`,
  );
}
