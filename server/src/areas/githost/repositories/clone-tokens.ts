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

/** After this the host has ended it by itself. */
const hostsHourMs = 3_600_000;
const mostAtOnce = 100;

const placeOf = (id: string) => ({ table: 'githost_clone_tokens', column: 'token', row: id });

/** Tokens for cloning that were handed out. They are kept, sealed, until they are ended, so that a restart forgets none. */
export class CloneTokens {
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Writes down a token before anybody gets it. One that could not be written down is ended. */
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

  /** All that an organization has. What the host does not end now is ended later. */
  async endAll(organizationId: string): Promise<void> {
    for (const row of await selectCloneTokens(this.#options.db, organizationId)) await this.#end(row);
  }

  /** Those whose time is over. Two replicas that do it do no harm. While the host is away, the rest waits for the next time. */
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
      // Tried again, until the hour is over.
      if (isGitHostError(error, 'unavailable', 'rate_limited')) throw error;
      this.#options.warn(notEnded(error as Error));
    }
    await deleteCloneToken(db, row);
  }
}

const notEnded = (error: Error): string => `a clone token was not revoked at the git host: ${error.message}`;
