import { type Db, inTransaction } from '../../../db/database.ts';
import type { GithostHookTable } from '../../../db/tables.ts';
import { isGitHostError } from '../../../drivers/githost/errors.ts';
import type { Hook, Repository } from '../../../drivers/githost/githost.ts';
import { notFound } from '../../../errors.ts';
import type { Caller } from '../../../http/caller.ts';
import { newId } from '../../../lib/ids.ts';
import type { Sealer } from '../../../lib/seal.ts';
import { randomSecret } from '../../../lib/secrets.ts';
import { recordAudit } from '../../access/port.ts';
import type { HostCalls } from '../repositories/host-calls.ts';
import type { ReachedRepository } from '../sources.ts';
import { hookAddress, receiverPath } from './hook-address.ts';
import type { PushListener } from './listener.ts';
import { deleteHookRow, insertHook, selectHook, selectHooksOf, updateHooksOf } from './hook-store.ts';

type Named = { owner: string; repo: string };

const asked = ({ owner, repo }: Named) => ({ owner, name: repo });
type Deps = {
  db: Db;
  sealer: Sealer;
  calls: HostCalls;
  publicUrl: string | undefined;
  hostUrl: string;
  listener: () => PushListener | undefined;
};

/** A webhook, and whether it points to this instance. */
export type KnownHook = Hook & { isOurs: boolean };

const place = (row: string) => ({ table: 'githost_hooks', column: 'secret', row });
const nameOf = ({ owner, name }: Repository) => `${owner}/${name}`;

/** Webhooks of repositories. Ours have one secret per repository, which no response contains. */
export class Hooks {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async list(caller: Caller, named: Named): Promise<KnownHook[]> {
    const all = await this.#deps.calls.with(caller, asked(named), 'list', ({ source, repository }, _, signal) =>
      source.hooks(repository, { signal }),
    );
    return all.map((hook) => this.#known(hook));
  }

  /** Creates the webhook, or updates the existing one. */
  register = (caller: Caller, named: Named): Promise<{ hook: KnownHook; isNew: boolean }> =>
    this.#deps.calls.with(caller, asked(named), 'write', (reached, _, signal) =>
      this.#register(caller, reached, signal),
    );

  async #register(caller: Caller, { source, repository }: ReachedRepository, signal: AbortSignal) {
    const { db, sealer, publicUrl, hostUrl } = this.#deps;
    const url = await hookAddress(publicUrl, hostUrl);
    // Stored before the git host has it, so that every signed delivery can be verified.
    const row = await this.#ownRow(caller, repository);
    const secret = sealer.open(row.secret, place(row.id));
    const { hook, isNew } = await source.registerHook(repository, { url, secret }, { signal });
    await inTransaction(db, async (trx) => {
      await updateHooksOf(trx, repository.id, hook.id, Date.now());
      const target = { id: row.id, name: nameOf(repository) };
      const details = { hookId: hook.id, isNew };
      await recordAudit(trx, caller.organization.id, caller, {
        action: 'githost.hook_registered',
        target,
        details,
      });
    });
    await this.#deps.listener()?.recordWebhook(repository.id, true);
    return { hook: this.#known(hook), isNew };
  }

  /** Returns whether the webhook is deleted at the git host: it stays while another organization uses it. */
  remove = (caller: Caller, named: Named, hookId: number): Promise<boolean> =>
    this.#deps.calls.with(caller, asked(named), 'admin', (reached, _, signal) =>
      this.#remove(caller, reached, hookId, signal),
    );

  async #remove(caller: Caller, { source, repository }: ReachedRepository, hookId: number, signal: AbortSignal) {
    const { db } = this.#deps;
    const used = (await selectHooksOf(db, repository.id)).filter((each) => each.hookId === hookId);
    const isShared = used.some(({ organizationId }) => organizationId !== caller.organization.id);
    if (!isShared)
      await source.deleteHook(repository, hookId, { signal }).catch((error: unknown) => {
        if (!isGitHostError(error, 'not_found')) throw error;
        // Our webhook was deleted at the git host: delete it here as well and return to polling.
        if (used.length) return;
        // Same message as for a repository, so that it does not reveal webhooks.
        throw notFound('webhook');
      });
    await inTransaction(db, async (trx) => {
      if (used.length) await deleteHookRow(trx, caller.organization.id, repository.id);
      const target = { id: String(hookId), name: nameOf(repository) };
      await recordAudit(trx, caller.organization.id, caller, { action: 'githost.hook_deleted', target });
    });
    if (used.length && !isShared) await this.#deps.listener()?.recordWebhook(repository.id, false);
    return !isShared;
  }

  /** Returns the webhook secrets of a repository. */
  async secretsOf(repositoryId: number): Promise<string[]> {
    const rows = await selectHooksOf(this.#deps.db, repositoryId);
    return [...new Set(rows.map((row) => this.#deps.sealer.open(row.secret, place(row.id))))];
  }

  #known(hook: Hook): KnownHook {
    const { publicUrl } = this.#deps;
    return { ...hook, isOurs: publicUrl !== undefined && hook.url === `${publicUrl}${receiverPath}` };
  }

  /** Organizations that share a repository share the secret. */
  #ownRow(caller: Caller, repository: Repository): Promise<GithostHookTable> {
    const { db, sealer } = this.#deps;
    const { id: organizationId } = caller.organization;
    return inTransaction(db, async (trx) => {
      // Serialized across the instance, so that there are never two secrets.
      await trx
        .updateTable('instance')
        .set((eb) => ({ ownerUserId: eb.ref('ownerUserId') }))
        .execute();
      const own = await selectHook(trx, organizationId, repository.id);
      if (own) return own;
      const [other] = await selectHooksOf(trx, repository.id);
      const secret = other ? sealer.open(other.secret, place(other.id)) : randomSecret();
      const [id, now] = [newId('hok'), Date.now()];
      const row: GithostHookTable = {
        id,
        organizationId,
        repositoryId: repository.id,
        repository: nameOf(repository),
        hookId: other?.hookId ?? null,
        secret: sealer.seal(secret, place(id)),
        createdAt: now,
        updatedAt: now,
      };
      await insertHook(trx, row);
      return row;
    });
  }
}
