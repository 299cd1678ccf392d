import { type Db, inTransaction, type Trx } from '../../../db/database.ts';
import type { ProjectTable } from '../../../db/tables.ts';
import { inspectImages, withWrittenFiles } from '../../../drivers/runtime/docker/survey/survey.ts';
import { AppError, forbidden } from '../../../errors.ts';
import { type Caller, hasPermission } from '../../../http/caller.ts';
import type { Sealer } from '../../../lib/seal.ts';
import { lockOrganization, recordAudit, canSee } from '../../access/port.ts';
import { type Projects, requireMayCreate } from '../../projects/port.ts';
import { visibleServer } from '../../servers/port.ts';
import type { Discovery } from '../discovery.ts';
import type { ChosenService } from '../document/document.ts';
import type { AdoptBody } from './schemas.ts';
import { withWrittenFilesOf } from '../stack/found-services.ts';
import { chooseServices, serviceKeysFor, leftOutOf } from './choose.ts';
import { originalsOf } from './originals.ts';
import { withSecrets } from './secrets.ts';
import { insertAdoption, selectAdoptersOf, selectTakenOver } from './store.ts';
import { type WrittenProject, writeProject } from './write-project.ts';

type Options = { db: Db; sealer: Sealer; projects: Projects; discovery: Discovery };

export interface AdoptedProject {
  project: ProjectTable;
  names: string[];
  warnings: string[];
}

/** Creates projects from containers on servers. Changes nothing there and deploys nothing. */
export class Adoptions {
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
  }

  async adopt(caller: Caller, body: AdoptBody): Promise<AdoptedProject> {
    const { db, discovery } = this.#options;
    await visibleServer(db, caller, body.serverId, 'write');
    requireMayCreate(caller);
    if (body.trusted && !caller.isInstanceOwner)
      throw forbidden('only the instance owner may mark a project as trusted');
    const taken = await selectTakenOver(db);
    const { chosen, survey, leftOut } = await discovery.on(
      caller,
      body.serverId,
      async ({ survey, services }, machine) => {
        const named = chooseServices(body.serviceNames, services, taken);
        const { client, signal } = machine;
        const written = await withWrittenFilesOf(named, (all) => withWrittenFiles(client, all, signal));
        const found = await withSecrets(written, machine, survey.dataFolder);
        const ids = found.map(({ containers }) => containers[0].Image).filter(Boolean);
        const configs = await inspectImages(client, ids, signal);
        const keys = serviceKeysFor(found);
        const chosen = found.map((each, i): ChosenService => {
          const config = configs.get(each.containers[0].Image) ?? null;
          return { key: keys[i]!, found: each, config };
        });
        return { chosen, survey, leftOut: leftOutOf(named, services, taken) };
      },
    );
    const written = await writeProject(body, chosen, survey, leftOut);
    const project = await inTransaction(db, (trx) => this.#store(trx, caller, body, chosen, written));
    return { project, names: chosen.map(({ found }) => found.name), warnings: written.warnings };
  }

  /** Rejects deleting a server with adopted containers, which could not be restored without it. */
  async requireUnused(trx: Trx, caller: Caller, serverId: string): Promise<void> {
    const adopters = await selectAdoptersOf(trx, caller.organization.id, serverId);
    if (!adopters.length) return;
    const known = adopters
      .filter(({ id }) => hasPermission(caller, 'project:list') && canSee(caller, 'project', id))
      .map(({ name }) => name);
    const others = adopters.length - known.length;
    const names = [...known, ...(others ? [`${others} that you may not see`] : [])].join(', ');
    throw new AppError('server_in_use', `projects have adopted containers on it: ${names}`);
  }

  async #store(
    trx: Trx,
    caller: Caller,
    { serverId, projectName }: AdoptBody,
    chosen: readonly ChosenService[],
    { document, needsTrust, differences }: WrittenProject,
  ): Promise<ProjectTable> {
    const { sealer, projects } = this.#options;
    // Prevents a concurrent deletion of the server.
    await lockOrganization(trx, caller.organization.id);
    const server = await visibleServer(trx, caller, serverId, 'write');
    const fields = {
      name: projectName,
      serverId: server.kind === 'this_machine' ? null : serverId,
      ...(needsTrust && { trusted: true }),
    };
    const project = await projects.createOfServices(trx, caller, fields, (row) =>
      sealer.seal(document, { table: 'projects', column: 'services', row }),
    );
    // The host names are locked by now, so the second of two concurrent adoptions sees the first.
    const found = chosen.map((each) => each.found);
    chooseServices(
      found.map(({ name }) => name),
      found,
      await selectTakenOver(trx),
    );
    const now = Date.now();
    await insertAdoption(trx, {
      projectId: project.id,
      organizationId: project.organizationId,
      serverId,
      state: 'adopted',
      originals: JSON.stringify(originalsOf(chosen)),
      warnings: JSON.stringify(differences),
      createdBy: caller.userId,
      createdAt: now,
      updatedAt: now,
    });
    const services = found.map(({ name }) => name).join(', ');
    const details = { serverId, server: server.name, services: services.slice(0, 2000), trusted: needsTrust };
    await recordAudit(trx, project.organizationId, caller, { action: 'migration.adopted', target: project, details });
    return project;
  }
}
