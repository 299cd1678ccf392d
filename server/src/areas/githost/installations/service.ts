import type { Db, Trx } from '../../../db/database.ts';
import { isGitHostError } from '../../../drivers/githost/errors.ts';
import type { GitHub } from '../../../drivers/githost/github/github.ts';
import type { Installation } from '../../../drivers/githost/github/shapes.ts';
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
  /** For those that are the cloud's app's. */
  lent: Pick<LentApps, 'lookAt'>;
  warn: (message: string) => void;
};

/** Whom an installation is for, and what shows that it is theirs. */
export type Claim = { organizationId: string; userId: string; proof: 'sign_in' | 'instance_owner' };

/** Where our app is installed, and for whom. */
export class Installations {
  readonly #options: Options;
  readonly #confirming = new Set<number>();

  constructor(options: Options) {
    this.#options = options;
  }

  /** Keeps what was shown to be theirs; gives the logins. Without a sign-in, what others have already stays theirs. */
  async claim(trx: Trx, { organizationId, userId, proof }: Claim, found: Installation[]): Promise<string[]> {
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

  /** The host says, and has proven that it is the host: the app was removed there, or put to sleep. */
  async lost(installationId: number, how: 'deleted' | 'suspended'): Promise<void> {
    if (how === 'deleted') await deleteEverywhere(this.#options.db, installationId);
    else await suspendEverywhere(this.#options.db, installationId, Date.now());
  }

  /** What the host has announced, and has proven that it is the host. What is deleted never comes back; but one that slept may
   * be awake by now, should this come late or be replayed by somebody, so the host says how it is. */
  async follow({ action, installation }: InstallationEvent): Promise<void> {
    if (action === 'deleted') await this.lost(installation.id, action);
    if (action !== 'deleted' && action !== 'created') await this.look(installation.id);
  }

  /** It works again there. */
  async resumed(installationId: number): Promise<void> {
    await resumeEverywhere(this.#options.db, installationId);
  }

  /** A call met one that seems to be gone, asleep or called otherwise. One odd answer of the host takes nothing from anybody: it is asked. */
  noticed(installationId: number): void {
    if (this.#confirming.has(installationId)) return;
    this.#confirming.add(installationId);
    void this.look(installationId)
      .catch((error: Error) =>
        this.#options.warn(`an installation of the git host app was not checked: ${error.message}`),
      )
      .finally(() => this.#confirming.delete(installationId));
  }

  /** Asks the host about one, and writes down what it says. */
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
