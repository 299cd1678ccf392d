import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Db, inTransaction, type Sql, type Trx } from '../../../db/database.ts';
import type { ProjectTable } from '../../../db/tables.ts';
import { badRequest, conflict, notFound } from '../../../errors.ts';
import type { Caller } from '../../../http/caller.ts';
import { newId } from '../../../lib/ids.ts';
import { grantedIds, recordAudit, canSee, withdrawGrants } from '../../access/port.ts';
import { hostLabel, reserveHostName } from '../host-names/host-names.ts';
import { selectHostName, selectNamesLike } from '../host-names/store.ts';
import type { RepositoryLookup, ProjectLinks } from '../links/service.ts';
import type { LinkRow } from '../links/store.ts';
import { changedFields, changedRow, newProjectRow } from './change.ts';
import type { LocalSources } from './local-sources.ts';
import { requireProjectQuota } from './project-quota.ts';
import { requireMayChange, requireMayCreate, requireSharedVolumes } from './rules.ts';
import type { NewAddressQuery, ProjectBody, ProjectChange } from './schemas.ts';
import { freeSlug, isReservedSlug, slugOf, stemOf } from './slug.ts';
import {
  deleteProject,
  insertProject,
  lockProjectNames,
  lockProject,
  markDeleting,
  nextNumber,
  selectProjectByName,
  selectProjectsOn,
  selectProjects,
  updateProject,
} from './store.ts';
import { visibleProject } from './visible.ts';

/** Optional parts of a deletion. */
export type DeleteOptions = {
  volumes: boolean;
  /** Leaves containers on unreachable servers behind. */
  abandon?: boolean;
};
/**
 * Runs before a deletion to stop the project; if it throws, the project stays. May return work for the transaction.
 */
export type BeforeDelete = (
  caller: Caller,
  project: ProjectTable,
  options: DeleteOptions,
) => Promise<void | ((trx: Trx) => Promise<void>)>;
/** Runs after the deletion, for slow work. */
export type AfterDelete = (projectId: string) => Promise<void>;

/** Checks a move to another server. */
export type BeforeMove = (trx: Trx, project: ProjectTable) => Promise<void>;
/** Returns the server if the caller may deploy to it; null for this machine. */
export type TargetFor = (sql: Sql, caller: Caller, serverId: string) => Promise<string | null>;

type Options = {
  targetFor: TargetFor;
  db: Db;
  mode: 'self-hosted' | 'cloud';
  dataDir: string;
  localSources: LocalSources;
  links: ProjectLinks;
  /** Reserved slug. */
  instanceLabel: string | undefined;
  /** Limit per organization; null for none. */
  mostProjects: number | null;
};

export class Projects {
  readonly #db: Db;
  readonly #mode: 'self-hosted' | 'cloud';
  readonly #dataDir: string;
  readonly #beforeDelete: BeforeDelete[] = [];
  readonly #afterDelete: AfterDelete[] = [];
  readonly #beforeMove: BeforeMove[] = [];
  readonly #targetFor: TargetFor;
  readonly #links: ProjectLinks;
  readonly #instanceLabel: string | undefined;
  readonly #mostProjects: number | null;
  readonly localSources: LocalSources;

  constructor({ db, mode, dataDir, localSources, links, instanceLabel, targetFor, mostProjects }: Options) {
    this.#mostProjects = mostProjects;
    this.#targetFor = targetFor;
    this.#db = db;
    this.#mode = mode;
    this.#dataDir = dataDir;
    this.#links = links;
    this.#instanceLabel = instanceLabel;
    this.localSources = localSources;
  }

  list(caller: Caller): Promise<ProjectTable[]> {
    return selectProjects(this.#db, caller.organization.id, grantedIds(caller, 'project', 'list'));
  }

  get(caller: Caller, id: string): Promise<ProjectTable> {
    return visibleProject(this.#db, caller, id, 'read');
  }

  /** Returns the slug of a new project with this name, and why it differs from the name. */
  async newAddress(caller: Caller, { name, serverId }: NewAddressQuery) {
    requireMayCreate(caller);
    const wanted = slugOf(name);
    const slug = await this.#derived(this.#db, name);
    const isOurs = isReservedSlug(wanted) || wanted === this.#instanceLabel;
    const reason = slug === wanted ? null : isOurs ? ('reserved' as const) : ('taken' as const);
    return { slug, wanted, reason, serverId: serverId ? await this.#targetFor(this.#db, caller, serverId) : null };
  }

  async create(caller: Caller, body: ProjectBody): Promise<ProjectTable> {
    requireMayCreate(caller);
    const look = await this.#lookAtSource(caller, body);
    return inTransaction(this.#db, async (trx) => {
      await lockProjectNames(trx);
      if (await selectProjectByName(trx, caller.organization.id, body.name)) throw taken('a project', body.name);
      return this.#insert(trx, caller, body, look);
    });
  }

  /** Creates a project under an existing id of another instance. */
  async createAs(caller: Caller, id: string, body: ProjectBody): Promise<ProjectTable> {
    requireMayCreate(caller);
    const look = await this.#lookAtSource(caller, body);
    return inTransaction(this.#db, async (trx) => {
      await lockProjectNames(trx);
      if (await selectProjectByName(trx, caller.organization.id, body.name)) throw taken('a project', body.name);
      // The slug may be taken here.
      const isFree = body.slug !== undefined && !(await selectHostName(trx, body.slug));
      const { slug, ...others } = body;
      return this.#insert(trx, caller, { ...others, ...(isFree && { slug }) }, look, undefined, id);
    });
  }

  /**
   * Creates a project from services within the caller's transaction. `servicesOf` returns the services sealed for the
   * row id.
   */
  async createOfServices(
    trx: Trx,
    caller: Caller,
    body: Omit<ProjectBody, 'source'>,
    servicesOf: (id: string) => string,
  ): Promise<ProjectTable> {
    requireMayCreate(caller);
    await lockProjectNames(trx);
    if (await selectProjectByName(trx, caller.organization.id, body.name)) throw taken('a project', body.name);
    return this.#insert(trx, caller, { ...body, source: { type: 'services' } }, {}, servicesOf);
  }

  async update(caller: Caller, id: string, change: ProjectChange): Promise<ProjectTable> {
    const look = await this.#lookAtSource(caller, change);
    return inTransaction(this.#db, async (trx) => {
      if (change.name !== undefined || change.slug !== undefined) await lockProjectNames(trx);
      return this.#change(trx, caller, id, change, look);
    });
  }

  async linkOf(caller: Caller, id: string): Promise<LinkRow> {
    await visibleProject(this.#db, caller, id, 'read');
    const link = await this.#links.get(this.#db, caller.organization.id, id);
    if (!link) throw notFound('link');
    return link;
  }

  /** Links a repository that the caller may read, or changes the branch of the current one. */
  async link(caller: Caller, id: string, wanted: { owner: string; repo: string; branch?: string | undefined }) {
    await visibleProject(this.#db, caller, id, 'write');
    const found = await this.#links.findBranch(caller, { type: 'githost', ...wanted });
    const { owner, name } = found.repository;
    const source = { type: 'githost', owner, repo: name, ...(wanted.branch && { branch: wanted.branch }) } as const;
    await inTransaction(this.#db, async (trx) => {
      const project = await this.#change(trx, caller, id, { source }, { found });
      // The name may belong to another repository by now, or the git host may have been unreachable before.
      const link = await this.#links.get(trx, project.organizationId, id);
      if (link?.repositoryId !== found.repository.id) await this.#links.follow(trx, project, source, found);
    });
    return this.linkOf(caller, id);
  }

  async unlink(caller: Caller, id: string): Promise<void> {
    await visibleProject(this.#db, caller, id, 'write');
    await this.linkOf(caller, id);
    await inTransaction(this.#db, (trx) => this.#change(trx, caller, id, { source: { type: 'upload' } }, {}));
  }

  /** Creates or changes the project of that name; concurrent callers create it once. */
  async ensure(caller: Caller, body: ProjectBody): Promise<{ id: string; created: boolean }> {
    const look = await this.#lookAtSource(caller, body);
    return inTransaction(this.#db, async (trx) => {
      await lockProjectNames(trx);
      const existing = await selectProjectByName(trx, caller.organization.id, body.name);
      // A project that the caller cannot see is treated as missing, so that names are not revealed.
      const seen = existing && canSee(caller, 'project', existing.id) ? existing : undefined;
      if (!seen) requireMayCreate(caller);
      const { id } = seen
        ? await this.#change(trx, caller, seen.id, body, look)
        : await this.#insert(trx, caller, body, look);
      return { id, created: !seen };
    });
  }

  async delete(caller: Caller, id: string, options: DeleteOptions = { volumes: false }): Promise<void> {
    const project = await visibleProject(this.#db, caller, id, 'admin');
    await markDeleting(this.#db, caller.organization.id, id, Date.now());
    const also: ((trx: Trx) => Promise<void>)[] = [];
    try {
      for (const hook of this.#beforeDelete) also.push((await hook(caller, project, options)) ?? (async () => {}));
    } catch (error) {
      await markDeleting(this.#db, caller.organization.id, id, null);
      throw error;
    }
    await inTransaction(this.#db, async (trx) => {
      if (!(await deleteProject(trx, caller.organization.id, id))) throw notFound('project');
      for (const note of also) await note(trx);
      await withdrawGrants(trx, caller.organization.id, 'project', id);
      const target = { id, name: project.name };
      await recordAudit(trx, caller.organization.id, caller, {
        action: 'project.deleted',
        target,
        details: { ...(options.volumes && { volumes: true }), ...(options.abandon && { abandon: true }) },
      });
    });
    await rm(this.folderOf(id), { recursive: true, force: true });
    for (const hook of this.#afterDelete) await hook(id);
  }

  afterDelete(hook: AfterDelete): void {
    this.#afterDelete.push(hook);
  }

  beforeDelete(hook: BeforeDelete): void {
    this.#beforeDelete.push(hook);
  }

  beforeMove(hook: BeforeMove): void {
    this.#beforeMove.push(hook);
  }

  /** Throws if projects run on the server. */
  async requireNoneOn(trx: Trx, caller: Caller, serverId: string): Promise<void> {
    const found = await selectProjectsOn(trx, caller.organization.id, serverId);
    const names = found.slice(0, 5).map(({ name }) => name);
    if (found.length)
      throw conflict(
        `${names.join(', ')}${found.length > names.length ? ' and others' : ''} ${found.length === 1 ? 'runs' : 'run'} on this server; delete or move ${found.length === 1 ? 'it' : 'them'} first`,
      );
  }

  /** Folder of all local data of a project, deleted with it. */
  folderOf(id: string): string {
    return join(this.#dataDir, 'projects', id);
  }

  /** Checks the folder or the git host, outside the transaction. */
  async #lookAtSource(caller: Caller, { source }: ProjectChange): Promise<RepositoryLookup> {
    if (source?.type === 'githost') return this.#links.look(caller, source);
    if (source?.type !== 'local') return {};
    this.localSources.requireAllowed();
    // Callers without permission for local sources are rejected later, unless nothing changes. Skipping the check
    // here avoids revealing which folders exist.
    if (caller.organization.role !== 'restricted' && this.localSources.isFor(caller))
      await this.localSources.resolve(source.path);
    return {};
  }

  async #insert(
    trx: Trx,
    caller: Caller,
    body: ProjectBody,
    { found, refusal }: RepositoryLookup,
    servicesOf?: (id: string) => string,
    id = newId('prj'),
  ): Promise<ProjectTable> {
    requireMayChange(caller, this.#mode, body, null, this.localSources);
    if (refusal) throw refusal;
    if (this.#mostProjects !== null) await requireProjectQuota(trx, caller.organization.id, this.#mostProjects);
    const serverId = body.serverId ? await this.#targetFor(trx, caller, body.serverId) : null;
    const own = newProjectRow(
      { ...body, serverId },
      {
        id,
        organizationId: caller.organization.id,
        slug: body.slug ? await this.#onlyFree(trx, body.slug) : await this.#derived(trx, body.name),
        number: await nextNumber(trx),
      },
    );
    const row = { ...own, services: servicesOf?.(id) ?? null };
    await insertProject(trx, row);
    if (body.source?.type === 'githost') await this.#links.follow(trx, row, body.source, found);
    await reserveHostName(trx, hostLabel(row.slug, 'production'), holderOf(row));
    const details = { slug: row.slug, source: body.source?.type ?? 'upload', ...(row.trusted && { trusted: true }) };
    await recordAudit(trx, row.organizationId, caller, { action: 'project.created', target: row, details });
    return row;
  }

  /** Resolves a changed server id; the current one needs no permission. */
  async #withTarget(trx: Trx, caller: Caller, project: ProjectTable, change: ProjectChange): Promise<ProjectChange> {
    const { serverId } = change;
    if (!serverId || serverId === project.serverId) return change;
    return { ...change, serverId: await this.#targetFor(trx, caller, serverId) };
  }

  async #change(
    trx: Trx,
    caller: Caller,
    id: string,
    asked: ProjectChange,
    { found, refusal }: RepositoryLookup,
  ): Promise<ProjectTable> {
    await lockProject(trx, caller.organization.id, id);
    const before = await visibleProject(trx, caller, id, 'write');
    const change = await this.#withTarget(trx, caller, before, asked);
    const fields = changedFields(before, change);
    if (!fields.length) return before;
    if (fields.includes('serverId')) for (const hook of this.#beforeMove) await hook(trx, before);
    requireMayChange(caller, this.#mode, change, before, this.localSources);
    if (fields.includes('source') && refusal) throw refusal;
    if (fields.includes('replicas') && change.replicas! > 1) await requireSharedVolumes(trx, before);
    if (fields.includes('slug')) await this.#onlyFree(trx, change.slug!, id);
    if (fields.includes('name') && (await selectProjectByName(trx, caller.organization.id, change.name!)))
      throw taken('a project', change.name!);
    const row = changedRow(before, change);
    await updateProject(trx, row);
    if (fields.includes('source')) await this.#links.follow(trx, row, change.source!, found);
    else if (fields.includes('autoDeploy') && change.autoDeploy) await this.#links.beginAnew(trx, row);
    // The old name stays reserved until a deployment serves the new one.
    if (fields.includes('slug')) await reserveHostName(trx, hostLabel(row.slug, 'production'), holderOf(row));
    const details = { fields: fields.join(', '), ...(fields.includes('trusted') && { trusted: row.trusted === 1 }) };
    await recordAudit(trx, row.organizationId, caller, { action: 'project.updated', target: row, details });
    return row;
  }

  async #onlyFree(trx: Trx, slug: string, ownId?: string): Promise<string> {
    if (slug === this.#instanceLabel)
      throw badRequest(`slug: ${slug} is the address of this instance itself; choose another one`, 'slug');
    const holder = await selectHostName(trx, slug);
    if (holder && holder.projectId !== ownId) throw taken('a slug', slug);
    return slug;
  }

  async #derived(sql: Sql, name: string): Promise<string> {
    const slug = slugOf(name);
    const others = await selectNamesLike(sql, stemOf(slug));
    return freeSlug(slug, this.#instanceLabel === undefined ? others : others.add(this.#instanceLabel));
  }
}

const holderOf = ({ id, organizationId }: ProjectTable) => ({
  organizationId,
  projectId: id,
  environment: 'production',
});

const taken = (what: string, name: string) => conflict(`there is ${what} ${name} already`);
