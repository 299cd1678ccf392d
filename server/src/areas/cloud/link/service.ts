import { isIP } from 'node:net';
import type { Config } from '../../../config.ts';
import { type Db, inTransaction, type Sql, type Trx } from '../../../db/database.ts';
import type { CloudLinkTable } from '../../../db/tables.ts';
import type { CloudClient } from '../../../drivers/cloud/cloud-client.ts';
import { AppError, badRequest, conflict, notFound } from '../../../errors.ts';
import type { Caller } from '../../../http/caller.ts';
import { isAllowed } from '../../../lib/outbound.ts';
import type { Sealer } from '../../../lib/seal.ts';
import { cloudNotLinked } from '../../deployments/port.ts';
import { isOnlyOrganization, lockOrganization, recordAudit } from '../../access/port.ts';
import type { LentApps } from '../../githost/port.ts';
import { selectProjectsThere } from '../../projects/port.ts';
import { deleteAllLastSeen } from '../deployments/store.ts';
import { type CloudAccount, checkCloud } from './check-cloud.ts';
import { isSameCloudLocation, type LinkedCloud, type CloudLocation, cloudLocationIn } from './location.ts';
import type { LinkBody } from './schemas.ts';
import { deleteCloudLink, replaceLink, selectCloudLink } from './store.ts';

type Deps = {
  db: Db;
  sealer: Sealer;
  client: CloudClient;
  config: Pick<Config, 'cloudUrl' | 'cloudToken'>;
  /** Data from the cloud is deleted with the link. */
  lent: Pick<LentApps, 'drop' | 'forget'>;
};

export type LinkState = {
  from: 'organization' | 'settings';
  url: string;
  account: CloudAccount | null;
  reachable: boolean;
  problem: string | null;
  linkedAt: number | null;
};

const place = (row: string) => ({ table: 'cloud_links', column: 'token', row });

/** Link of an organization to a cloud account: its own, or the one from the settings. */
export class CloudLinks {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Returns the linked cloud with its token; must not be part of a response. */
  async of(organizationId: string, sql: Sql = this.#deps.db): Promise<LinkedCloud | undefined> {
    return this.#addressIn(await selectCloudLink(sql, organizationId), sql);
  }

  /** The link of the settings applies only to a single organization; several would see each other's projects. */
  async #addressIn(row: CloudLinkTable | undefined, sql: Sql): Promise<LinkedCloud | undefined> {
    const { sealer, config } = this.#deps;
    if (row) {
      const token = sealer.open(row.token, place(row.organizationId));
      return { url: row.url, token, organizationId: row.cloudOrganizationId };
    }
    const { cloudUrl: url, cloudToken: token } = config;
    if (!url || !token || !(await isOnlyOrganization(sql))) return undefined;
    return { url: new URL(url).origin, token, organizationId: null };
  }

  /** Returns the linked cloud, with the organization there if it is needed to compare locations. */
  async towards(organizationId: string, at: string | null): Promise<LinkedCloud | undefined> {
    const address = await this.of(organizationId);
    if (!address || at === null || address.organizationId !== null) return address;
    const wanted = cloudLocationIn(at);
    if (wanted.organizationId === null || wanted.url !== address.url) return address;
    const { organization } = await checkCloud(this.#deps.client, address);
    return { ...address, organizationId: organization.id };
  }

  async require(organizationId: string, sql?: Sql): Promise<LinkedCloud> {
    const address = await this.of(organizationId, sql);
    if (!address) throw cloudNotLinked();
    return address;
  }

  /** Returns the state of the link, after checking the cloud. */
  async state(caller: Caller): Promise<LinkState | undefined> {
    const { db, client } = this.#deps;
    const { id } = caller.organization;
    const row = await selectCloudLink(db, id);
    const address = await this.#addressIn(row, db);
    if (!address) return undefined;
    const stored = row && {
      email: row.account,
      organization: { id: row.cloudOrganizationId, name: row.cloudOrganization },
    };
    const [found, problem] = await checkCloud(client, address).then(
      (account) => [account, null] as const,
      (error: unknown) => {
        if (error instanceof AppError) return [null, error.extra.message ?? error.message] as const;
        throw error;
      },
    );
    return {
      from: row ? 'organization' : 'settings',
      url: address.url,
      account: found ?? stored ?? null,
      reachable: found !== null,
      problem,
      linkedAt: row?.createdAt ?? null,
    };
  }

  async link(caller: Caller, { url, token }: LinkBody): Promise<void> {
    const { db, client, sealer, lent } = this.#deps;
    requireSafe(url);
    const account = await checkCloud(client, { url, token });
    const { id: organizationId } = caller.organization;
    await inTransaction(db, async (trx) => {
      await lockOrganization(trx, organizationId);
      const before = await selectCloudLink(trx, organizationId);
      const isSame = before?.url === url && before.cloudOrganizationId === account.organization.id;
      const to = { url, organizationId: account.organization.id };
      if (!isSame) {
        const fix = 'bring those projects home before you link another cloud';
        await this.#requireNothingThere(trx, organizationId, fix, to);
        await this.#drop(trx, organizationId);
      }
      await replaceLink(trx, {
        organizationId,
        url,
        token: sealer.seal(token, place(organizationId)),
        account: account.email,
        cloudOrganizationId: account.organization.id,
        cloudOrganization: account.organization.name,
        linkedBy: caller.userId,
        createdAt: Date.now(),
      });
      const details = { account: account.email, organization: account.organization.name };
      await recordAudit(trx, organizationId, caller, {
        action: 'cloud.linked',
        target: { id: url, name: url },
        details,
      });
    });
    lent.forget(organizationId);
  }

  async unlink(caller: Caller): Promise<void> {
    const { db, lent } = this.#deps;
    const { id: organizationId } = caller.organization;
    await inTransaction(db, async (trx) => {
      await lockOrganization(trx, organizationId);
      const row = await selectCloudLink(trx, organizationId);
      if (!row) throw (await this.of(organizationId, trx)) ? ofSettings() : notFound('link');
      await this.#requireNothingThere(trx, organizationId, 'bring those projects home first');
      await deleteCloudLink(trx, organizationId);
      await this.#drop(trx, organizationId);
      const target = { id: row.url, name: row.url };
      await recordAudit(trx, organizationId, caller, { action: 'cloud.unlinked', target });
    });
    lent.forget(organizationId);
  }

  /** Deletes everything that came through the link. */
  async #drop(trx: Trx, organizationId: string): Promise<void> {
    await this.#deps.lent.drop(trx, organizationId);
    await deleteAllLastSeen(trx, organizationId);
  }

  /**
   * Rejects the change while projects are in the cloud, except those at the new location, such as after a link of the
   * settings.
   */
  async #requireNothingThere(trx: Trx, organizationId: string, fix: string, to?: CloudLocation): Promise<void> {
    const all = await selectProjectsThere(trx, organizationId);
    const there = all.filter(
      ({ cloudAt }) => !to || cloudAt === null || !isSameCloudLocation(cloudLocationIn(cloudAt), to),
    );
    if (!there.length) return;
    const names = there.slice(0, 5).map(({ name }) => name);
    const live = there.length === 1 ? 'lives' : 'live';
    throw conflict(`${names.join(', ')}${there.length > 5 ? ' and others' : ''} ${live} in the cloud; ${fix}`);
  }
}

const ofSettings = () =>
  new AppError(
    'not_allowed_now',
    'this link comes from the settings; remove MOORING_CLOUD_URL and MOORING_CLOUD_TOKEN',
  );

/** Rejects http on the internet, since the token would be sent in plain text. */
function requireSafe(url: string): void {
  const { protocol, hostname } = new URL(url);
  const bare = hostname.replace(/^\[(.*)\]$/, '$1');
  const isInside =
    bare === 'localhost' || bare.endsWith('.localhost') || (isIP(bare) > 0 && !isAllowed(bare, 'public'));
  if (protocol === 'https:' || isInside) return;
  throw badRequest('url: must be https, because the token is sent there', 'url');
}
