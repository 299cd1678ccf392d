import { type Db, inTransaction } from '../../../db/database.ts';
import type { InstallationToken, TokenScope } from '../../../drivers/githost/github/installation-tokens.ts';
import { GitHostError, isGitHostError } from '../../../drivers/githost/errors.ts';
import type { GitHub } from '../../../drivers/githost/github/github.ts';
import { AppError, forbidden, notFound } from '../../../errors.ts';
import { type Caller, hasPermission } from '../../../http/caller.ts';
import { RateLimit } from '../../../http/rate-limit.ts';
import { recordAudit } from '../../access/port.ts';
import {
  withGitHostErrors,
  type Installations,
  withDeadline,
  selectInstallation,
  selectInstallations,
} from '../../githost/port.ts';

type Deps = {
  db: Db;
  gitHost: GitHub;
  installations: Installations;
  callMs: number;
  /** Tokens per minute for one organization and replica. */
  perMinute?: number;
};

/** An instance needs one per hour and account, and one per clone. */
const usualPerMinute = 120;

/** Permissions for callers without `githost:admin`. */
const readOnly = { contents: 'read', metadata: 'read' };

/** Cloud mode: lends our app to linked instances. */
export class GitHostAppLending {
  readonly #deps: Deps;
  /** The git host rate-limits our app as a whole, so each organization gets its own limit. */
  readonly #limit: RateLimit;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#limit = new RateLimit(deps.perMinute ?? usualPerMinute);
  }

  /** Returns the installations of the caller's organization. */
  async installations(caller: Caller) {
    requireAccessToAllRepositories(caller);
    return selectInstallations(this.#deps.db, caller.organization.id);
  }

  /** Returns an installation token within the caller's permissions: read-only without `githost:admin`. */
  async token(caller: Caller, id: number, wanted: TokenScope): Promise<InstallationToken> {
    requireAccessToAllRepositories(caller);
    const { db } = this.#deps;
    const { id: organizationId } = caller.organization;
    const narrowing = narrowed(caller, wanted);
    const own = await selectInstallation(db, organizationId, id);
    if (!own) throw notFound('installation');
    this.#limit.take(organizationId);
    const token = await withGitHostErrors(() => this.#mint(id, narrowing));
    await inTransaction(db, (trx) =>
      recordAudit(trx, organizationId, caller, {
        action: 'githost.token_lent',
        target: { id: own.id, name: own.accountLogin },
        details: { repositories: narrowing?.repositories?.join(', ') ?? 'all', reads: isReading(narrowing) },
      }),
    );
    return token;
  }

  async #mint(id: number, narrowing: TokenScope | undefined): Promise<InstallationToken> {
    const { gitHost, installations, callMs } = this.#deps;
    if (!gitHost.app) throw new AppError('not_configured', 'this cloud has no git host app');
    try {
      return await withDeadline(callMs, (signal) => gitHost.app!.mint(id, narrowing, signal));
    } catch (error) {
      // Deleted or suspended at the git host, before a webhook told us.
      if (isGitHostError(error, 'not_found', 'forbidden')) installations.noticed(id);
      if (isGitHostError(error, 'not_found')) throw new GitHostError('not_found', 'installation not found');
      throw error;
    }
  }
}

/** Grants of single members cannot be mapped to the app. */
export function requireAccessToAllRepositories({ organization }: Caller): void {
  if (organization.role === 'restricted') throw forbidden('only members with access to all repositories can do this');
}

function narrowed(caller: Caller, { repositories, permissions }: TokenScope): TokenScope | undefined {
  const isAdmin = hasPermission(caller, 'githost:admin');
  if (!isAdmin && permissions && !isReading({ permissions }))
    throw forbidden('a token that can do more than read needs the permission githost:admin');
  const allowed = permissions ?? (isAdmin ? undefined : readOnly);
  if (!repositories && !allowed) return undefined;
  return { ...(repositories && { repositories }), ...(allowed && { permissions: allowed }) };
}

const isReading = (narrowing: TokenScope | undefined): boolean =>
  narrowing?.permissions !== undefined && Object.values(narrowing.permissions).every((each) => each === 'read');
