import { type Db, inTransaction } from '../../../db/database.ts';
import type { GithostCloneTokenTable } from '../../../db/tables.ts';
import { isGitHostError } from '../../../drivers/githost/errors.ts';
import type { GitHub } from '../../../drivers/githost/github/github.ts';
import type { CloneCredential, RepositoryName } from '../../../drivers/githost/githost.ts';
import type { Caller } from '../../../http/caller.ts';
import { newId } from '../../../lib/ids.ts';
import type { Sealer } from '../../../lib/seal.ts';
import { recordAudit } from '../../access/port.ts';
import { withDeadline } from '../deadline.ts';
import { deleteCloneToken, insertCloneToken, selectCloneTokens, selectDueCloneTokens } from './clone-token-store.ts';
import { fullName } from './visible.ts';

type Options = { db: Db; sealer: Sealer; gitHost: GitHub; callMs: number; warn: (message: string) => void };

/** The git host expires the token after this time. */
const hostsHourMs = 3_600_000;
const mostAtOnce = 100;

const placeOf = (id: string) => ({ table: 'githost_clone_tokens', column: 'token', row: id });

/** Issued clone tokens. They are stored sealed until revoked, so that a restart forgets none. */
export class CloneTokens {
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Stores a token before it is returned, and revokes it if that fails. */
  async keep(caller: Caller, repository: RepositoryName, token: CloneCredential & { expiresAt: number }) {
    const { db, sealer, gitHost } = this.#options;
    const [id, organizationId] = [newId('ght'), caller.organization.id];
    const row = {
      id,
      organizationId,
      userId: caller.userId,
      repository: fullName(repository),
      token: sealer.seal(token.password, placeOf(id)),
      createdAt: Date.now(),
      expiresAt: token.expiresAt,
    };
    try {
      await inTransaction(db, async (trx) => {
        await insertCloneToken(trx, row);
        const details = { repository: row.repository };
        await recordAudit(trx, organizationId, caller, { action: 'repository.clone_token_created', details });
      });
    } catch (error) {
      await gitHost.endToken(token.password).catch((again: Error) => this.#options.warn(notEnded(again)));
      throw error;
    }
  }

  /** Revokes all tokens of an organization. */
  async endAll(organizationId: string): Promise<void> {
    for (const row of await selectCloneTokens(this.#options.db, organizationId)) await this.#end(row);
  }

  /**
   * Revokes expired tokens. Safe to run on several replicas. If the git host is unreachable, the next run continues.
   */
  async endDue(now: number, stop: AbortSignal): Promise<void> {
    try {
      for (let isAll = false; !isAll && !stop.aborted;) {
        const due = await selectDueCloneTokens(this.#options.db, now, mostAtOnce);
        for (const row of due) await this.#end(row, now, stop);
        isAll = due.length < mostAtOnce;
      }
    } catch (error) {
      if (!isGitHostError(error)) throw error;
      this.#options.warn(notEnded(error));
    }
  }

  async #end(row: GithostCloneTokenTable, now = Date.now(), stop?: AbortSignal): Promise<void> {
    const { db, sealer, gitHost, callMs } = this.#options;
    const isOver = row.createdAt + hostsHourMs <= now;
    try {
      const token = sealer.open(row.token, placeOf(row.id));
      if (!isOver) await withDeadline(callMs, (signal) => gitHost.endToken(token, signal), stop);
    } catch (error) {
      // Retried until the git host expires the token.
      if (isGitHostError(error, 'unavailable', 'rate_limited')) throw error;
      this.#options.warn(notEnded(error as Error));
    }
    await deleteCloneToken(db, row);
  }
}

const notEnded = (error: Error): string => `a clone token was not revoked at the git host: ${error.message}`;
