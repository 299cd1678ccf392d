import { z } from '../../../lib/zod/index.ts';
import type { Db, Sql, Trx } from '../../../db/database.ts';
import { storedJson } from '../../../db/stored-json.ts';
import { endProcessesOfUser } from '../../../drivers/host/processes.ts';
import { AppError, conflict } from '../../../errors.ts';
import { limitConcurrency } from '../../../lib/concurrency.ts';
import { removeTree } from '../../../lib/remove-tree.ts';
import { selectServer } from '../../servers/port.ts';
import { uidOfProject } from '../engine/project-users.ts';
import { removeArtifact } from '../model/artifact.ts';
import { insertTask, selectTasksOfKind } from '../model/background-store.ts';
import type { BackgroundTasks } from '../upkeep/background-tasks.ts';
import { IsNodeError, type Machines } from '../model/machines.ts';
import { PackageStore } from '../build/packages/package-store.ts';
import type { ContainerParts, Parts } from '../model/parts.ts';

const kind = 'remove_project';
const atOnce = 8;
const removalMs = 120_000;

/** Everything of a deleted project outside the database. */
const ProjectRemoval = z.object({
  organizationId: z.string(),
  projectId: z.string(),
  /** Whether its volumes are deleted too. */
  volumes: z.boolean(),
  /** The servers that it ran on; null for this machine. */
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
  /** Resolves when no worker of this replica holds the deployment any more. */
  ended: (deploymentId: string) => Promise<void>;
};

/** Removes leftovers of deleted projects in the background, because containers may take long to stop. */
export class ProjectLeftovers {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
    deps.tasks.handle(kind, (details) => this.#remove(readRemoval(details)));
  }

  /** Stores the removal in the transaction that deletes the project. */
  async note(trx: Trx, removal: ProjectRemoval): Promise<void> {
    for (const id of removal.servers) {
      const server = id === null ? undefined : await selectServer(trx, removal.organizationId, id);
      if (server?.runtime === 'node')
        throw conflict('this project was moved to another server of its cluster in the meantime; try again');
    }
    return this.#deps.tasks.add(trx, kind, removal.projectId, removal);
  }

  /** Idempotent, because it may run again after a kill. */
  async #remove(removal: ProjectRemoval): Promise<void> {
    const { db, machines, ended } = this.#deps;
    await Promise.all(removal.deployments.map(({ id }) => ended(id)));
    for (const serverId of removal.servers) {
      const parts = await machines.of({ organizationId: removal.organizationId, serverId }).catch(ifServerRemoved);
      if (parts) await removeFrom(parts, removal);
    }
    const { folders } = machines.here;
    const isolation = await machines.here.isolation;
    const uid = isolation.kind === 'users' ? await uidOfProject(db, removal.projectId) : undefined;
    // A daemon of a build or an app may have detached itself.
    if (uid !== undefined) await endProcessesOfUser(uid);
    await removeTree(folders.home(removal.projectId));
    if (removal.volumes) await removeTree(folders.volumes(removal.projectId));
    await new PackageStore(folders.packages(removal.organizationId)).forget(removal.projectId);
  }
}

/** Through a node nothing is removed, but a moved task names the server of the cluster when it is retried. */
function ifServerRemoved(error: unknown): undefined {
  if (error instanceof IsNodeError || !(error instanceof AppError && error.code === 'not_found')) throw error;
}

async function removeFrom(parts: Parts, { projectId, organizationId, volumes, deployments }: ProjectRemoval) {
  const { host, runtime, containers, contents, server } = parts;
  const own = deployments.filter(({ serverId }) => serverId === (server?.id ?? null));
  // Includes containers of deleted deployments that later ones had taken over.
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
  // Files written by containers stay, like volumes, unless their deletion was requested.
  await contents.removeProject(projectId, { binds: volumes });
  if (volumes) await containers?.services.removeVolumes({ projectId });
  await containers?.removeUnusedFiles?.();
}

async function removeImages({ images }: ContainerParts, projectId: string): Promise<void> {
  const own = (await images.list()).filter(({ owner }) => owner.projectId === projectId);
  for (const { image } of own) await images.remove(image);
}

/** Lets the leftovers of deleted projects be removed through another server of their cluster. */
export async function moveLeftovers(trx: Trx, from: string, to: string): Promise<void> {
  const moved = <T extends string | null>(id: T) => (id === from ? to : id);
  for (const task of await selectTasksOfKind(trx, kind)) {
    const { servers, deployments, ...removal } = readRemoval(task.details);
    if (!servers.includes(from)) continue;
    const details = JSON.stringify({
      ...removal,
      servers: [...new Set(servers.map(moved))],
      deployments: deployments.map((each) => ({ ...each, serverId: moved(each.serverId) })),
    });
    await insertTask(trx, { ...task, details });
  }
}

/**
 * Throws while a deleted project is still being removed from the server, since that cannot happen later. An
 * unreachable server delays its own deletion by at most `removalMs`.
 */
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
