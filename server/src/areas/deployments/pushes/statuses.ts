import type { Db } from '../../../db/database.ts';
import { GitHostError } from '../../../drivers/githost/errors.ts';
import type { CommitStatus } from '../../../drivers/githost/githost.ts';
import { limitConcurrency } from '../../../lib/concurrency.ts';
import type { Log } from '../../../lib/log.ts';
import { PeriodicTask } from '../../../lib/periodic-task.ts';
import type { GitHostSources } from '../../githost/port.ts';
import { type DeploymentFailure, isFinished, type Status } from '../model/model.ts';
import { failureIn } from '../model/stored.ts';
import { isTemporaryGitHostError } from './pushes.ts';
import {
  deleteStatus,
  selectUnreportedStatuses,
  claimUnsentStatus,
  type UnreportedStatus,
  updateStatus,
} from '../requests/commit-status-store.ts';

type Deps = { db: Db; sources: GitHostSources; log: Log; publicUrl: string | undefined };

const everyMs = 1000;
const atOnce = 4;
const mostOfRound = 50;
const mostAttempts = 6;
const takenMs = 60_000;

/**
 * Reports commit statuses to the git host. Deployments neither wait for it nor fail because of it; after a restart,
 * unreported statuses are sent.
 */
export class CommitStatuses {
  readonly #deps: Deps;
  readonly #rounds: PeriodicTask;

  constructor(deps: Deps) {
    this.#deps = deps;
    const warn = (message: string) => deps.log.warn(`reporting commit statuses: ${message}`);
    this.#rounds = new PeriodicTask({ everyMs, warn, round: () => this.#round() });
  }

  start(): void {
    this.#rounds.start();
  }

  stop(): Promise<void> {
    return this.#rounds.stop();
  }

  async #round(): Promise<void> {
    const untold = await selectUnreportedStatuses(this.#deps.db, Date.now(), mostOfRound);
    const limit = limitConcurrency(atOnce);
    await Promise.all(untold.map((each) => limit(() => this.#tell(each))));
  }

  async #tell(untold: UnreportedStatus): Promise<void> {
    const { db, sources, log } = this.#deps;
    const { organizationId, owner, name, attempts } = untold;
    const state = stateOf(untold.status);
    // A deployment cancelled before it started, or without a known commit, is not reported.
    const isNews = untold.commitSha !== null && (untold.told !== null || untold.status !== 'cancelled');
    if (!isNews) return void (await deleteStatus(db, untold));
    if (!(await claimUnsentStatus(db, untold, Date.now() + takenMs))) return;
    try {
      const { source, repository } = await sources.reach(organizationId, { owner, name });
      await source.setStatus(repository, this.#statusOf(untold, state));
      if (isFinished(untold.status)) await deleteStatus(db, untold);
      else await updateStatus(db, untold, { told: state, attempts: 0, nextAt: 0 });
    } catch (error) {
      if (!(error instanceof GitHostError)) throw error;
      const next = isTemporaryGitHostError(error)
        ? Math.max(error.retryAt ?? 0, Date.now() + 2000 * 3 ** attempts)
        : undefined;
      if (next !== undefined && attempts + 1 < mostAttempts)
        return void (await updateStatus(db, untold, { nextAt: next }));
      log.warn(`the commit status was not reported for ${untold.deploymentId}: ${error.message}`);
      await deleteStatus(db, untold);
    }
  }

  #statusOf(
    { commitSha, context, deploymentId, status, error }: UnreportedStatus,
    state: CommitStatus['state'],
  ): CommitStatus {
    const { publicUrl } = this.#deps;
    return {
      commitSha: commitSha!,
      state,
      context,
      description: descriptionOf(status, failureIn({ error })),
      ...(publicUrl && { targetUrl: `${publicUrl}/deployments/${deploymentId}` }),
    };
  }
}

function stateOf(status: Status): CommitStatus['state'] {
  if (status === 'ready') return 'success';
  if (status === 'failed' || status === 'rejected') return 'failure';
  return status === 'cancelled' ? 'error' : 'pending';
}

/** Error messages are redacted, but since a repository may be public, only the failed step is reported. */
function descriptionOf(status: Status, error: DeploymentFailure | null): string {
  if (status === 'ready') return 'Deployed and serving.';
  if (status === 'cancelled') return 'The deployment was cancelled.';
  if (status === 'rejected') return 'The deployment was rejected.';
  if (status === 'failed') return error?.step ? `The deployment failed at ${error.step}.` : 'The deployment failed.';
  return 'The deployment is in progress.';
}
