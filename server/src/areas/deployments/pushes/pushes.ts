import { type Db, inTransaction } from '../../../db/database.ts';
import { GitHostError, isGitHostError } from '../../../drivers/githost/errors.ts';
import type { GitSource, Repository } from '../../../drivers/githost/githost.ts';
import type { PushEvent } from '../../../drivers/githost/webhook-events.ts';
import { AppError } from '../../../errors.ts';
import type { GitHostSources, ProjectOutcome, PushListener, Reached } from '../../githost/port.ts';
import {
  type LinkRow,
  markHeard,
  seeCommit,
  selectFollowers,
  selectLink,
  selectLinksOf,
  updateLink,
} from '../../projects/port.ts';
import type { OwnProject, ProjectsPort } from '../model/projects-port.ts';
import type { Deployments } from '../requests/service.ts';
import { deploymentOfPush } from './push-store.ts';
import { reachThat } from '../source/repository-access.ts';
import { differences, touches } from './touched.ts';

type Deps = { db: Db; sources: GitHostSources; projects: ProjectsPort; deployments: Deployments };

/** A commit that a branch has come to. */
export type Arrival = {
  branch: string;
  sha: string;
  message: string | null;
  pusher: string;
  /** What differs from the commit that was seen last, if that is known. */
  files: string[] | undefined;
};

type Outcome = Omit<ProjectOutcome, 'projectId'>;

/** For so long after it has seen a repository we take an organization to see it still. */
const confirmedMs = 20 * 60_000;
const soonMs = 10_000;
/** Not written down more often than this. */
const heardMs = 60_000;
const mostRaces = 5;
const settleMs = 5000;

const nothing = (why: string): Outcome => ({ deploymentId: null, why });

/** The branch whose pushes a project wants; null for the default one of a repository that nobody has asked about yet. */
export const branchOf = ({ branch, defaultBranch }: LinkRow): string | null => branch ?? defaultBranch;

/** Deploys what is pushed. However often and by however many ways a push is heard of, one transaction takes its commit as
 * seen and makes the deployment. */
export class Pushes implements PushListener {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  organizationsOf(repositoryId: number): Promise<string[]> {
    return selectFollowers(this.#deps.db, repositoryId);
  }

  async announced(repositoryId: number, isAnnounced: boolean): Promise<void> {
    await markHeard(this.#deps.db, repositoryId, isAnnounced ? Date.now() : null);
  }

  async pushed(organizationId: string, event: PushEvent, known: ProjectOutcome[]): Promise<void> {
    const { db } = this.#deps;
    const { id, owner, name } = event.repository;
    const failures: unknown[] = [];
    for (const link of await selectLinksOf(db, organizationId, id)) {
      const at = known.findIndex(({ projectId }) => projectId === link.projectId);
      if (known[at]?.deploymentId) continue;
      // A push to a branch that has just become the default one is one to the branch that such a project follows.
      const defaultBranch = event.repository.defaultBranch ?? link.defaultBranch;
      const isSame = link.owner === owner && link.name === name && link.defaultBranch === defaultBranch;
      const isKnown = isSame && Date.now() - (link.heardAt ?? 0) < heardMs;
      const change = isKnown ? {} : { heardAt: Date.now(), owner, name, defaultBranch };
      if (!isKnown) await updateLink(db, link, change);
      const outcome = await this.#byEvent({ ...link, ...change }, event).catch((error: unknown) => {
        // A host that is away is so for all of them.
        if (mayPass(error)) throw error;
        // What is wrong with one project does not hold up the others of the same repository.
        if (!(error instanceof GitHostError)) failures.push(error);
        return { ...nothing((error as Error).message), isLost: error instanceof GitHostError };
      });
      known.splice(at < 0 ? known.length : at, 1, { projectId: link.projectId, ...outcome });
    }
    if (failures.length) throw failures[0];
  }

  async #byEvent(first: LinkRow, event: PushEvent): Promise<Outcome> {
    // Before anything is said about it.
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

  /** Looking was faster, or it was announced before: what became of it then is what becomes of it. */
  async #seenAlready(link: LinkRow, commitSha: string): Promise<Outcome> {
    const deploymentId = await deploymentOfPush(this.#deps.db, link, commitSha);
    return deploymentId ? { deploymentId, why: null } : nothing('this commit was handled already');
  }

  /** Where the branch is now. The event says it if it goes on from what we know; one that is out of turn may be an old one, so
   * the host is asked. Undefined when that brings nothing new. */
  async #arrivalOf(link: LinkRow, event: PushEvent): Promise<Arrival | undefined> {
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
    // Should the host be late with it: we look again before long.
    if (head !== event.commitSha) await updateLink(this.#deps.db, link, { nextCheckAt: Date.now() + soonMs });
    if (head === null || head === seen) return undefined;
    return { branch, sha: head, message: head === event.commitSha ? message : null, pusher, files: undefined };
  }

  /** Who does not see a repository any more learns nothing of what is pushed to it. */
  async #confirm(link: LinkRow): Promise<Reached> {
    const reached = await reachLinked(this.#deps.sources, link);
    await updateLink(this.#deps.db, link, { checkedAt: Date.now() });
    return reached;
  }

  /** Takes the commit as seen and deploys it, if that is wanted. Undefined when somebody else was faster. */
  async advance(link: LinkRow, arrival: Arrival): Promise<Outcome | undefined> {
    const { db, projects, deployments } = this.#deps;
    const project = await projects.own(db, link.organizationId, link.projectId);
    if (!project) return nothing('the project was deleted');
    const why = await this.#whyNot(project, link, arrival);
    const actor = { userId: 'githost', email: `${arrival.pusher || 'somebody'} at the git host`, ip: '' };
    const outcome = await inTransaction(db, async (trx) => {
      if (!(await seeCommit(trx, link, arrival.branch, arrival.sha))) return undefined;
      if (why !== undefined) return nothing(why);
      const now = await projects.own(trx, link.organizationId, link.projectId);
      if (!now?.autoDeploy || now.source.type !== 'githost') return nothing('the project has just been changed');
      return { deploymentId: (await deployments.fromPush(trx, actor, now, arrival)).id, why: null };
    }).catch((error: unknown) => {
      // It is being deleted, or this instance cannot run anything.
      if (error instanceof AppError) return nothing(error.message);
      throw error;
    });
    if (outcome?.deploymentId) deployments.look();
    return outcome;
  }

  async #whyNot(project: OwnProject, link: LinkRow, arrival: Arrival): Promise<string | undefined> {
    if (!project.autoDeploy) return 'auto-deploy is off';
    if (project.isInCloud) return 'the project runs in the cloud, which deploys pushes itself';
    const { rootDirectory } = project.settings;
    if (!rootDirectory) return undefined;
    const files = arrival.files ?? (await this.#filesSince(link, arrival));
    return files && !touches(rootDirectory, files) ? `nothing changed in ${rootDirectory}` : undefined;
  }

  /** Also where the branch of then was another one: what counts is what differs. */
  async #filesSince(link: LinkRow, { sha }: Arrival): Promise<string[] | undefined> {
    if (link.seenCommit === null) return undefined;
    const { source, repository } = await this.#confirm(link);
    return differences(source, repository, link.seenCommit, sha);
  }
}

/** The repository itself, under whatever name; not another one that has its name by now. */
export async function reachLinked(sources: GitHostSources, link: LinkRow): Promise<Reached> {
  const { organizationId, owner, name, repositoryId } = link;
  return reachThat(sources, organizationId, { owner, repo: name, repositoryId });
}

/** Whether it is worth another try by itself. */
export const mayPass = (error: unknown): boolean => isGitHostError(error, 'unavailable', 'rate_limited');

/** A host has several machines. For a moment after a push one of them may give the head of before, which must not be taken for
 * a newer one. */
export const settledAt = ({ seenAt }: LinkRow): number => (seenAt ?? 0) + settleMs;

/** Null when there is no such branch. */
export async function branchHead(source: GitSource, repository: Repository, branch: string): Promise<string | null> {
  try {
    return (await source.branch(repository, branch)).commitSha;
  } catch (error) {
    if (isGitHostError(error, 'not_found')) return null;
    throw error;
  }
}
