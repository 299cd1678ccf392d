import type { Db } from '../server/src/db/database.ts';
import { configSealLocation } from '../server/src/areas/deployments/model/model.ts';
import { stackSealLocation } from '../server/src/areas/deployments/model/stack.ts';
import { newId } from '../server/src/lib/ids.ts';
import type { Sealer } from '../server/src/lib/seal.ts';

type Location = ReturnType<typeof configSealLocation>;
type Order = { projectId: string; servers: string[]; count: number };
const batch = 200;

/** Copies a project with its release to all servers in turns. Deploying thousands of projects would take hours. */
export async function seedProjects(db: Db, sealer: Sealer, { projectId, servers, count }: Order): Promise<object> {
  const project = await db.selectFrom('projects').selectAll().where('id', '=', projectId).executeTakeFirstOrThrow();
  const release = await db
    .selectFrom('deployments')
    .selectAll()
    .where('projectId', '=', projectId)
    .where('active', '=', 1)
    .executeTakeFirstOrThrow();
  const steps = await db.selectFrom('deployment_steps').selectAll().where('deploymentId', '=', release.id).execute();
  const names = await db.selectFrom('host_names').selectAll().where('projectId', '=', projectId).execute();
  const events = await db.selectFrom('deployment_events').selectAll().where('deploymentId', '=', release.id).execute();
  const resealed = (text: string, at: (row: string) => Location, id: string) =>
    sealer.seal(sealer.open(text, at(release.id)), at(id));
  for (let first = 1; first <= count; first += batch) {
    const copies = Array.from({ length: Math.min(batch, count - first + 1) }, (_, i) => {
      const n = first + i;
      const [slug, id] = [`simulated-${n}`, newId('dep')];
      const serverId = servers[n % servers.length]!;
      return {
        n,
        project: { ...project, id: newId('prj'), name: slug, slug, number: project.number + n, serverId },
        release: {
          ...release,
          id,
          serverId,
          config: resealed(release.config, configSealLocation, id),
          stack: release.stack && resealed(release.stack, stackSealLocation, id),
          urls: JSON.stringify([`http://${slug}.example.com`]),
          // They share the folder of the copied release.
          services: release.services?.replaceAll(release.id, id) ?? null,
        },
      };
    });
    // Together, because upkeep looks at them already.
    await db.transaction().execute(async (trx) => {
      await trx
        .insertInto('projects')
        .values(copies.map((each) => each.project))
        .execute();
      const releases = copies.map((each) => ({ ...each.release, projectId: each.project.id }));
      await trx.insertInto('deployments').values(releases).execute();
      const of = <T>(rows: T[], change: (row: T, copy: (typeof copies)[0]) => T) =>
        copies.flatMap((copy) => rows.map((row) => change(row, copy)));
      const copied = <T extends { deploymentId: string }>(rows: T[]) =>
        of(rows, (row, copy) => ({ ...row, deploymentId: copy.release.id }));
      await trx.insertInto('deployment_steps').values(copied(steps)).execute();
      await trx.insertInto('deployment_events').values(copied(events)).execute();
      const fences = releases.map(({ projectId: id, environment, fence }) => ({ projectId: id, environment, fence }));
      await trx.insertInto('deployment_fences').values(fences).execute();
      const hosts = of(names, (name, copy) => ({ ...name, name: copy.project.slug, projectId: copy.project.id }));
      if (hosts.length) await trx.insertInto('host_names').values(hosts).execute();
    });
  }
  return { seeded: count };
}
