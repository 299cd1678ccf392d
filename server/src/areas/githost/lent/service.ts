import type { Db, Trx } from '../../../db/database.ts';
import { cloudUnreachable } from '../../../drivers/cloud/cloud-client.ts';
import { GitHostError } from '../../../drivers/githost/errors.ts';
import type { GitHub } from '../../../drivers/githost/github/github.ts';
import type { LentApp } from '../../../drivers/githost/github/lent-app.ts';
import { AppError } from '../../../errors.ts';
import type { Caller } from '../../../http/caller.ts';
import { selectHolders } from '../installations/store.ts';
import { createLender } from './lender.ts';
import type { CloudGitHost, ConnectWanted, LentOverview } from './port.ts';
import { syncInstallations } from './sync-installations.ts';
import { deleteLent, deleteLentInstallations, insertLent, selectLent } from './store.ts';

type Options = { db: Db; gitHost: GitHub; cloud: () => CloudGitHost | undefined };
/** Last answer of the cloud, or its error. */
export type LastCloudAnswer = { at: number; overview?: LentOverview; error?: AppError };

/** The cloud's app, for linked organizations of instances without an app. */
export class LentApps {
  readonly #options: Options;
  /** By organization: each has its own link, and tokens must not be shared. */
  readonly #apps = new Map<string, LentApp>();
  readonly #heard = new Map<string, LastCloudAnswer>();
  readonly #asking = new Map<string, Promise<LastCloudAnswer>>();

  constructor(options: Options) {
    this.#options = options;
  }

  /** Whether an organization could connect this way. */
  async isOpen(organizationId: string): Promise<boolean> {
    const { gitHost, cloud } = this.#options;
    return !gitHost.app && ((await cloud()?.isLinked(organizationId)) ?? false);
  }

  /** Whether an organization has connected this way. */
  async isUsed(organizationId: string): Promise<boolean> {
    if (this.#options.gitHost.app || !this.#options.cloud()) return false;
    return (await selectLent(this.#options.db, organizationId)) !== undefined;
  }

  appOf(organizationId: string): LentApp {
    const known = this.#apps.get(organizationId);
    if (known) return known;
    const made = this.#options.gitHost.lentApp(createLender(this.#options, () => this.#cloud(), organizationId));
    this.#apps.set(organizationId, made);
    return made;
  }

  /** Returns the URL to connect. From then on the cloud's installations are synced. */
  async begin(caller: Caller, wanted: ConnectWanted): Promise<string> {
    const url = await this.#cloud().connectUrl(caller.organization.id, wanted);
    await this.#use(caller);
    return url;
  }

  /** Uses the installations that the organization already has in the cloud; false if there are none. */
  async take(caller: Caller): Promise<boolean> {
    const { id } = caller.organization;
    const { error, overview } = await this.#ask(id);
    if (error) throw error;
    if (!overview!.installations.some(({ suspendedAt }) => suspendedAt === null)) return false;
    await this.#use(caller);
    // Repeat the request: the first answer predates the use, and another cloud may have been linked meanwhile.
    await this.#asking.get(id);
    const kept = await this.#ask(id);
    if (kept.error) throw kept.error;
    return kept.overview!.installations.some(({ suspendedAt }) => suspendedAt === null);
  }

  /** Returns the cloud's answer, at most `maxAgeMs` old, and stores it if in use. Never throws. */
  async look(organizationId: string, maxAgeMs: number): Promise<LastCloudAnswer> {
    const known = this.#heard.get(organizationId);
    if (known && Date.now() - known.at < maxAgeMs) return known;
    return this.#ask(organizationId);
  }

  /** Syncs the organizations that have the installation. */
  async lookAt(installationId: number): Promise<void> {
    for (const { organizationId: id } of await selectHolders(this.#options.db, [installationId]))
      if (await this.isUsed(id)) await this.follow(id);
  }

  /** Syncs after a change in the cloud. Throws if the cloud is unreachable, so that the caller retries. */
  async follow(organizationId: string): Promise<void> {
    // A pending answer may predate the change.
    await this.#asking.get(organizationId);
    const { error } = await this.#ask(organizationId);
    if (error) throw new GitHostError('unavailable', error.extra.message ?? error.message, { cause: error });
  }

  /** Deletes everything from the cloud. Call `forget` after the commit. */
  async drop(trx: Trx, organizationId: string): Promise<void> {
    await deleteLent(trx, organizationId);
    await deleteLentInstallations(trx, organizationId);
  }

  forget(organizationId: string): void {
    this.#apps.delete(organizationId);
    this.#heard.delete(organizationId);
    // New requests must not wait for the answer of the old link.
    this.#asking.delete(organizationId);
  }

  #use({ organization, userId }: Caller) {
    const row = { organizationId: organization.id, connectedBy: userId, cursor: null, createdAt: Date.now() };
    return insertLent(this.#options.db, row);
  }

  /** Concurrent callers share one request. */
  #ask(organizationId: string): Promise<LastCloudAnswer> {
    const known = this.#asking.get(organizationId);
    if (known) return known;
    const isCurrent = () => this.#asking.get(organizationId) === asking;
    const asking: Promise<LastCloudAnswer> = this.#asked(organizationId, isCurrent).finally(() => {
      if (isCurrent()) this.#asking.delete(organizationId);
    });
    this.#asking.set(organizationId, asking);
    return asking;
  }

  /** Drops an answer that arrives after the link has changed. */
  async #asked(organizationId: string, isCurrent: () => boolean): Promise<LastCloudAnswer> {
    const { db } = this.#options;
    try {
      const lent = await selectLent(db, organizationId);
      const overview = await this.#cloud().overview(organizationId);
      if (!isCurrent()) throw cloudUnreachable('is another one now');
      const { webUrl } = this.#options.gitHost.addresses;
      if (overview.host !== webUrl)
        throw new AppError('not_configured', `the cloud uses another git host than ${webUrl}; set up an app here`);
      if (lent) await syncInstallations(db, lent, overview);
      if (!isCurrent()) throw cloudUnreachable('is another one now');
      this.#apps.get(organizationId)?.keepOnly(overview.installations.map(({ id }) => id));
      return this.#note(organizationId, { at: Date.now(), overview });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const heard = { at: Date.now(), error };
      return isCurrent() ? this.#note(organizationId, heard) : heard;
    }
  }

  #note(organizationId: string, heard: LastCloudAnswer): LastCloudAnswer {
    this.#heard.set(organizationId, heard);
    return heard;
  }

  #cloud(): CloudGitHost {
    const cloud = this.#options.cloud();
    if (!cloud) throw new GitHostError('unavailable', 'there is no cloud link');
    return cloud;
  }
}
