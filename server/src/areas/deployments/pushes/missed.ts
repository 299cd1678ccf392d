import type { Db } from '../../../db/database.ts';
import { isGitHostError } from '../../../drivers/githost/errors.ts';
import { limitConcurrency } from '../../../lib/concurrency.ts';
import type { Log } from '../../../lib/log.ts';
import { PeriodicTask } from '../../../lib/periodic-task.ts';
import type { GitHostSources } from '../../githost/port.ts';
import {
  makeAllLinksDue,
  type LinkRow,
  markCommitSeen,
  selectDueLinks,
  selectLink,
  claimDueLinks,
  updateLink,
} from '../../projects/port.ts';
import { branchOf, branchHead, isTemporaryGitHostError, type Pushes, reachLinked, settledAt } from './pushes.ts';

type Deps = {
  db: Db;
  sources: GitHostSources;
  pushes: Pushes;
  log: Log;
  /** Poll interval for branches without a webhook. */
  pollMs: number;
};

const longestRoundMs = 5000;
const atOnce = 4;
const mostOfRound = 200;
/** Factor for branches with a webhook, where polling only finds lost deliveries. */
const seldom = 15;
/** Factor for repositories that cannot be read. */
const troubleTimes = 5;

/** Polls for pushes without a delivered webhook: while the service was down, or where none is registered. */
export class MissedPushes {
  readonly #deps: Deps;
  readonly #rounds: PeriodicTask;
  #hasBegun = false;
  /** Organizations whose git host asked us to pause, with the time until then. */
  readonly #quietUntil = new Map<string, number>();

  constructor(deps: Deps) {
    this.#deps = deps;
    const warn = (message: string) => deps.log.warn(`polling branches: ${message}`);
    const everyMs = Math.min(longestRoundMs, deps.pollMs / 2);
    this.#rounds = new PeriodicTask({ everyMs, warn, round: () => this.#round() });
  }

  /** Checks everything once, then each branch at its interval. */
  start(): void {
    this.#rounds.start();
  }

  stop(): Promise<void> {
    return this.#rounds.stop();
  }

  async #round(): Promise<void> {
    // Not in `start`, so that it is retried if the database is away.
    if (!this.#hasBegun) await makeAllLinksDue(this.#deps.db);
    this.#hasBegun = true;
    const now = Date.now();
    for (const [id, until] of this.#quietUntil) if (until <= now) this.#quietUntil.delete(id);
    const due = await selectDueLinks(this.#deps.db, now, mostOfRound, [...this.#quietUntil.keys()]);
    const limit = limitConcurrency(atOnce);
    await Promise.all(inTurns(due).map((link) => limit(() => this.#look(link))));
  }

  async #look(link: LinkRow): Promise<void> {
    const { db, pollMs } = this.#deps;
    // Another link of the round may have paused its organization.
    if (this.#quietUntil.has(link.organizationId)) return;
    const pauseMs = pollMs * (link.heardAt === null ? 1 : seldom);
    if (!(await claimDueLinks(db, link, Date.now() + spread(pauseMs)))) return;
    try {
      await this.#check(link);
    } catch (error) {
      if (!isGitHostError(error)) throw error;
      await this.#giveWay(
        link,
        error.message,
        isTemporaryGitHostError(error) ? (error.retryAt ?? Date.now() + pollMs) : undefined,
      );
    }
  }

  /** Pauses the whole organization if its git host is busy or away. */
  async #giveWay(link: LinkRow, trouble: string, until: number | undefined): Promise<void> {
    const { db, pollMs } = this.#deps;
    if (until !== undefined) this.#quietUntil.set(link.organizationId, until);
    await updateLink(db, link, { trouble, nextCheckAt: until ?? Date.now() + spread(pollMs * troubleTimes) });
  }

  async #check(link: LinkRow): Promise<void> {
    const { db, sources, pushes } = this.#deps;
    // Read before asking the host: if a webhook arrives meanwhile, the host's response is older than that.
    const before = await selectLink(db, link.organizationId, link.projectId);
    if (!before) return;
    if (settledAt(before) > Date.now()) return void (await updateLink(db, before, { nextCheckAt: settledAt(before) }));
    const { source, repository } = await reachLinked(sources, before);
    const { id, owner, name, defaultBranch } = repository;
    const known = { repositoryId: id, owner, name, defaultBranch, checkedAt: Date.now() };
    await updateLink(db, before, { ...known, trouble: null });
    const now = { ...before, ...known };
    const branch = branchOf(now);
    if (branch === null) return;
    const head = await branchHead(source, repository, branch);
    const isSame = now.seenBranch === branch;
    const isNews = head !== null && head !== now.seenCommit;
    // The first check only records the head. A different branch later can only be a new default branch: it is deployed
    // if its head differs.
    if (now.seenBranch === null || (!isSame && !isNews)) return void (await markCommitSeen(db, now, branch, head));
    if (!isNews) return;
    const arrival = { branch, sha: head, message: null, pusher: '', files: undefined };
    if ((await pushes.advance(now, arrival)) && isSame) await updateLink(db, now, { heardAt: null });
  }
}

/** Interleaves organizations, so that one with many projects does not delay the others. */
function inTurns(links: LinkRow[]): LinkRow[] {
  const lanes = Object.values(Object.groupBy(links, ({ organizationId }) => organizationId));
  const longest = Math.max(0, ...lanes.map((lane) => lane!.length));
  return Array.from({ length: longest }, (_, i) => lanes.flatMap((lane) => lane![i] ?? [])).flat();
}

/** Adds jitter, so that checks do not stay synchronized. */
const spread = (ms: number): number => Math.round(ms * (0.9 + Math.random() / 5));
