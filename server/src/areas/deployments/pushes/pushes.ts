import { type Db, inTransaction } from '../../../db/database.ts';
import { GitHostError, isGitHostError } from '../../../drivers/githost/errors.ts';
import type { GitSource, Repository } from '../../../drivers/githost/githost.ts';
import type { PushEvent } from '../../../drivers/githost/webhook-events.ts';
import { AppError } from '../../../errors.ts';
import type { GitHostSources, ProjectOutcome, PushListener, ReachedRepository } from '../../githost/port.ts';
import {
  type LinkRow,
  updateHeardAt,
  markCommitSeen,
  selectFollowers,
  selectLink,
  selectLinksOf,
  updateLink,
} from '../../projects/port.ts';
import type { OwnProject, ProjectsPort } from '../model/projects-port.ts';
import type { Deployments } from '../requests/service.ts';
import { deploymentOfPush } from './push-store.ts';
import { reachRepository } from '../source/repository-access.ts';
import { changedFilesBetween, touches } from './changed-files.ts';

type Deps = { db: Db; sources: GitHostSources; projects: ProjectsPort; deployments: Deployments };

/** A new head of a branch. */
export type NewHead = {
  branch: string;
  sha: string;
  message: string | null;
  pusher: string;
  /** Files changed since the last seen commit, if known. */
  files: string[] | undefined;
};

type Outcome = Omit<ProjectOutcome, 'projectId'>;

/** How long an organization's access to a repository counts as confirmed. */
const confirmedMs = 20 * 60_000;
const soonMs = 10_000;
/** Minimum interval between updates of `heardAt`. */
const heardMs = 60_000;
const mostRaces = 5;
const settleMs = 5000;

const nothing = (why: string): Outcome => ({ deploymentId: null, why });

/** Returns the branch that a project follows; null for the default branch of a repository that was not read yet. */
export const branchOf = ({ branch, defaultBranch }: LinkRow): string | null => branch ?? defaultBranch;

/**
 * Deploys pushed commits. However often and by whatever way a push is reported, one transaction marks its commit as
 * seen and creates the deployment.
 */
export class Pushes implements PushListener {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  organizationsOf(repositoryId: number): Promise<string[]> {
    return selectFollowers(this.#deps.db, repositoryId);
  }

  async recordWebhook(repositoryId: number, isRegistered: boolean): Promise<void> {
    await updateHeardAt(this.#deps.db, repositoryId, isRegistered ? Date.now() : null);
  }

  async pushed(organizationId: string, event: PushEvent, known: ProjectOutcome[]): Promise<void> {
    const { db } = this.#deps;
    const { id, owner, name } = event.repository;
    const failures: unknown[] = [];
    for (const link of await selectLinksOf(db, organizationId, id)) {
      const at = known.findIndex(({ projectId }) => projectId === link.projectId);
      if (known[at]?.deploymentId) continue;
      // A push to a branch that just became the default also concerns projects that follow the default branch.
      const defaultBranch = event.repository.defaultBranch ?? link.defaultBranch;
      const isSame = link.owner === owner && link.name === name && link.defaultBranch === defaultBranch;
      const isKnown = isSame && Date.now() - (link.heardAt ?? 0) < heardMs;
      const change = isKnown ? {} : { heardAt: Date.now(), owner, name, defaultBranch };
      if (!isKnown) await updateLink(db, link, change);
      const outcome = await this.#byEvent({ ...link, ...change }, event).catch((error: unknown) => {
        // An unreachable git host affects all projects.
        if (isTemporaryGitHostError(error)) throw error;
        // An error of one project does not block others of the same repository.
        if (!(error instanceof GitHostError)) failures.push(error);
        return { ...nothing((error as Error).message), isLost: error instanceof GitHostError };
      });
      known.splice(at < 0 ? known.length : at, 1, { projectId: link.projectId, ...outcome });
    }
    if (failures.length) throw failures[0];
  }

  async #byEvent(first: LinkRow, event: PushEvent): Promise<Outcome> {
    // Access is confirmed before anything is revealed.
    if (Date.now() - (first.checkedAt ?? 0) > confirmedMs) await this.#confirm(first);
    if (event.ref.kind === 'tag') return nothing('tags are not deployed');
    if (event.isDeleted || event.commitSha === null) return nothing('the branch was deleted');
    for (let link: LinkRow | undefined = first, race = 0; link && race < mostRaces; race++) {
      if (branchOf(link) !== event.ref.name) return nothing('the project follows another branch');
      const arrival = await this.#arrivalOf(link, event);
      const outcome = arrival ? await this.advance(link, arrival) : await this.#seenAlready(link, event.commitSha);
      if (outcome) return outcome;
      link = await selectLink(this.#deps.db, link.organizationId, link.projectId);
    }
    return nothing('the project no longer follows the repository');
  }

  /** Polling or an earlier delivery was faster, so its outcome counts. */
  async #seenAlready(link: LinkRow, commitSha: string): Promise<Outcome> {
    const deploymentId = await deploymentOfPush(this.#deps.db, link, commitSha);
    return deploymentId ? { deploymentId, why: null } : nothing('this commit was handled already');
  }

  /**
   * Returns the branch's new head. The event has it if it continues from the last seen commit; an event out of order
   * may be old, so the git host is asked. Undefined if there is nothing new.
   */
  async #arrivalOf(link: LinkRow, event: PushEvent): Promise<NewHead | undefined> {
    const { name: branch } = event.ref;
    const seen = link.seenBranch === branch ? link.seenCommit : undefined;
    if (seen === event.commitSha) return undefined;
    const isNext = seen === undefined || seen === event.beforeSha;
    const { message, pusher } = event;
    if (isNext) {
      const files = event.hasAllFiles && seen !== undefined ? event.changedFiles : undefined;
      return { branch, sha: event.commitSha!, message, pusher, files };
    }
    const isSettledAt = settledAt(link);
    if (isSettledAt > Date.now())
      throw new GitHostError('unavailable', 'the branch has moved on', { retryAt: isSettledAt });
    const { source, repository } = await this.#confirm(link);
    const head = await branchHead(source, repository, branch);
    // The git host may lag behind, so the branch is checked again soon.
    if (head !== event.commitSha) await updateLink(this.#deps.db, link, { nextCheckAt: Date.now() + soonMs });
    if (head === null || head === seen) return undefined;
    return { branch, sha: head, message: head === event.commitSha ? message : null, pusher, files: undefined };
  }

  /** An organization that lost access to a repository must not learn of pushes to it. */
  async #confirm(link: LinkRow): Promise<ReachedRepository> {
    const reached = await reachLinked(this.#deps.sources, link);
    await updateLink(this.#deps.db, link, { checkedAt: Date.now() });
    return reached;
  }

  /** Marks the commit as seen and deploys it if wanted. Undefined if another call was faster. */
  async advance(link: LinkRow, arrival: NewHead): Promise<Outcome | undefined> {
    const { db, projects, deployments } = this.#deps;
    const project = await projects.own(db, link.organizationId, link.projectId);
    if (!project) return nothing('the project was deleted');
    const why = await this.#whyNot(project, link, arrival);
    const actor = { userId: 'githost', email: `${arrival.pusher || 'somebody'} at the git host`, ip: '' };
    const outcome = await inTransaction(db, async (trx) => {
      if (!(await markCommitSeen(trx, link, arrival.branch, arrival.sha))) return undefined;
      if (why !== undefined) return nothing(why);
      const now = await projects.own(trx, link.organizationId, link.projectId);
      if (!now?.autoDeploy || now.source.type !== 'githost') return nothing('the project has just been changed');
      return { deploymentId: (await deployments.fromPush(trx, actor, now, arrival)).id, why: null };
    }).catch((error: unknown) => {
      // The project is being deleted, or this instance cannot run anything.
      if (error instanceof AppError) return nothing(error.message);
      throw error;
    });
    if (outcome?.deploymentId) deployments.look();
    return outcome;
  }

  async #whyNot(project: OwnProject, link: LinkRow, arrival: NewHead): Promise<string | undefined> {
    if (!project.autoDeploy) return 'auto-deploy is off';
    if (project.isInCloud) return 'the project runs in the cloud, which deploys pushes itself';
    const { rootDirectory } = project.settings;
    if (!rootDirectory) return undefined;
    const files = arrival.files ?? (await this.#filesSince(link, arrival));
    return files && !touches(rootDirectory, files) ? `nothing changed in ${rootDirectory}` : undefined;
  }

  /** Compares commits even if the branch has changed: only the differences matter. */
  async #filesSince(link: LinkRow, { sha }: NewHead): Promise<string[] | undefined> {
    if (link.seenCommit === null) return undefined;
    const { source, repository } = await this.#confirm(link);
    return changedFilesBetween(source, repository, link.seenCommit, sha);
  }
}

/** Reaches the linked repository even if it was renamed, and not another one that took its name. */
export async function reachLinked(sources: GitHostSources, link: LinkRow): Promise<ReachedRepository> {
  const { organizationId, owner, name, repositoryId } = link;
  return reachRepository(sources, organizationId, { owner, repo: name, repositoryId });
}

/** Whether a retry may succeed. */
export const isTemporaryGitHostError = (error: unknown): boolean =>
  isGitHostError(error, 'unavailable', 'rate_limited');

/**
 * A git host has several machines: right after a push, one of them may still return the old head, which must not count
 * as newer.
 */
export const settledAt = ({ seenAt }: LinkRow): number => (seenAt ?? 0) + settleMs;

/** Returns null if the branch does not exist. */
export async function branchHead(source: GitSource, repository: Repository, branch: string): Promise<string | null> {
  try {
    return (await source.branch(repository, branch)).commitSha;
  } catch (error) {
    if (isGitHostError(error, 'not_found')) return null;
    throw error;
  }
}
