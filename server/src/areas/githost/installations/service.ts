import type { Db, Trx } from '../../../db/database.ts';
import { isGitHostError } from '../../../drivers/githost/errors.ts';
import type { GitHub } from '../../../drivers/githost/github/github.ts';
import type { GitHubInstallation } from '../../../drivers/githost/github/shapes.ts';
import type { LentApps } from '../lent/service.ts';
import type { InstallationEvent } from '../webhooks/listener.ts';
import { newId } from '../../../lib/ids.ts';
import {
  deleteEverywhere,
  insertInstallation,
  renameEverywhere,
  resumeEverywhere,
  selectHolders,
  selectInstallation,
  suspendEverywhere,
  updateInstallation,
} from './store.ts';

type Options = {
  db: Db;
  gitHost: GitHub;
  /** For installations of the cloud's app. */
  lent: Pick<LentApps, 'lookAt'>;
  warn: (message: string) => void;
};

/** The claiming organization, and its proof of ownership. */
export type Claim = { organizationId: string; userId: string; proof: 'sign_in' | 'instance_owner' };

/** Installations of the app, and the organizations they belong to. */
export class Installations {
  readonly #options: Options;
  readonly #confirming = new Set<number>();

  constructor(options: Options) {
    this.#options = options;
  }

  /**
   * Stores proven installations and returns their logins. Without a sign-in, those of other organizations are
   * skipped.
   */
  async claim(trx: Trx, { organizationId, userId, proof }: Claim, found: GitHubInstallation[]): Promise<string[]> {
    const holders =
      proof === 'sign_in' || !found.length
        ? []
        : await selectHolders(
            trx,
            found.map(({ id }) => id),
          );
    const taken = new Set(
      holders.filter((each) => each.organizationId !== organizationId).map((each) => each.installationId),
    );
    const claimed: string[] = [];
    for (const { id, account, suspendedAt } of found) {
      if (!account || taken.has(id)) continue;
      const own = await selectInstallation(trx, organizationId, id);
      const facts = {
        accountId: account.id,
        accountLogin: account.login,
        accountType: account.type,
        suspendedAt,
        proof: own?.proof === 'sign_in' ? own.proof : proof,
      };
      if (own) await updateInstallation(trx, organizationId, own.id, facts);
      else
        await insertInstallation(trx, {
          id: newId('ghi'),
          organizationId,
          installationId: id,
          ...facts,
          connectedBy: userId,
          createdAt: Date.now(),
        });
      claimed.push(account.login);
    }
    return claimed;
  }

  /** Applies a verified event: the app was uninstalled or suspended. */
  async lost(installationId: number, how: 'deleted' | 'suspended'): Promise<void> {
    if (how === 'deleted') await deleteEverywhere(this.#options.db, installationId);
    else await suspendEverywhere(this.#options.db, installationId, Date.now());
  }

  /**
   * Applies a verified event. Deletion is final; for anything else the git host is queried, since the event may be
   * late or replayed.
   */
  async follow({ action, installation }: InstallationEvent): Promise<void> {
    if (action === 'deleted') await this.lost(installation.id, action);
    if (action !== 'deleted' && action !== 'created') await this.look(installation.id);
  }

  async resumed(installationId: number): Promise<void> {
    await resumeEverywhere(this.#options.db, installationId);
  }

  /**
   * Rechecks an installation that a call found gone, suspended or renamed. A single odd response must not delete it.
   */
  noticed(installationId: number): void {
    if (this.#confirming.has(installationId)) return;
    this.#confirming.add(installationId);
    void this.look(installationId)
      .catch((error: Error) =>
        this.#options.warn(`an installation of the git host app was not checked: ${error.message}`),
      )
      .finally(() => this.#confirming.delete(installationId));
  }

  /** Queries the git host about an installation and stores the result. */
  async look(installationId: number, signal?: AbortSignal): Promise<void> {
    const { gitHost, lent } = this.#options;
    if (!gitHost.app) return lent.lookAt(installationId);
    try {
      const found = await gitHost.app.installation(installationId, { signal });
      if (found.account) await renameEverywhere(this.#options.db, installationId, found.account);
      await (found.suspendedAt === null ? this.resumed(installationId) : this.lost(installationId, 'suspended'));
    } catch (error) {
      if (!isGitHostError(error, 'not_found')) throw error;
      await this.lost(installationId, 'deleted');
    }
  }
}
