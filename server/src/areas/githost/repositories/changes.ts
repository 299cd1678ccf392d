import { type Db, inTransaction } from '../../../db/database.ts';
import { isGitHostError } from '../../../drivers/githost/errors.ts';
import type { GitSource, Repository, RepositoryName } from '../../../drivers/githost/githost.ts';
import { badRequest, forbidden, notFound } from '../../../errors.ts';
import type { Caller } from '../../../http/caller.ts';
import { hasAccessTo, recordAudit, withdrawGrants } from '../../access/port.ts';
import type { HostCalls } from './host-calls.ts';
import { fullName, isRestricted, seesAccount } from './visible.ts';

type Options = { db: Db; calls: HostCalls };
export type NewRepository = { name: string; isPrivate: boolean; owner?: string | undefined };

/** Creates and deletes repositories at the git host. */
export class RepositoryChanges {
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
  }

  async create(caller: Caller, { name, isPrivate, owner }: NewRepository): Promise<Repository> {
    requireMayCreate(caller, owner);
    const wanted = { name, isPrivate, ...(owner !== undefined && { owner }) };
    const made = await this.#options.calls.at(async (signal) =>
      firstThat(await this.#options.calls.sources(caller), (source) => source.createRepository(wanted, { signal })),
    );
    const target = targetOf(made);
    await recordAudit(this.#options.db, caller.organization.id, caller, { action: 'repository.created', target });
    return made;
  }

  async delete(caller: Caller, name: RepositoryName): Promise<void> {
    const gone = await this.#options.calls.with(caller, name, 'admin', async ({ source }, canonical, signal) => {
      await source.deleteRepository(canonical, { signal });
      return canonical;
    });
    const organizationId = caller.organization.id;
    const target = targetOf(gone);
    await inTransaction(this.#options.db, async (trx) => {
      await withdrawGrants(trx, organizationId, 'repository', target.id);
      await recordAudit(trx, organizationId, caller, { action: 'repository.deleted', target });
    });
  }
}

const targetOf = (repository: RepositoryName) => ({ id: fullName(repository), name: fullName(repository) });

/** Restricted members need write on all repositories of the owner. */
function requireMayCreate(caller: Caller, owner: string | undefined): void {
  if (!isRestricted(caller)) return;
  if (owner === undefined) throw badRequest('owner is required', 'owner');
  if (!seesAccount(caller, owner)) throw notFound('owner');
  if (!hasAccessTo(caller, 'repository', `${owner}/*`, 'write'))
    throw forbidden(`you were not granted write on all repositories of ${owner}`);
}

/** Returns the result of the first source that succeeds; others may lack the permission. */
async function firstThat<T>(sources: GitSource[], act: (source: GitSource) => Promise<T>): Promise<T> {
  const refusals: unknown[] = [];
  for (const source of sources) {
    try {
      return await act(source);
    } catch (error) {
      if (!isGitHostError(error, 'not_found', 'unauthorized', 'forbidden', 'invalid')) throw error;
      refusals.push(error);
    }
  }
  throw refusals.find((error) => !isGitHostError(error, 'not_found')) ?? refusals[0];
}
