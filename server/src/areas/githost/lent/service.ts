import type { Db, Trx } from '../../../db/database.ts';
import { cloudUnreachable } from '../../../drivers/cloud/cloud-client.ts';
import { GitHostError } from '../../../drivers/githost/errors.ts';
import type { GitHub } from '../../../drivers/githost/github/github.ts';
import type { LentApp } from '../../../drivers/githost/github/lent-app.ts';
import { AppError } from '../../../errors.ts';
import type { Caller } from '../../../http/caller.ts';
import { selectHolders } from '../installations/store.ts';
import { lenderOf } from './lender.ts';
import type { CloudGitHost, ConnectWanted, LentOverview } from './port.ts';
import { keepInstallations } from './keep.ts';
import { deleteLent, deleteLentInstallations, insertLent, selectLent } from './store.ts';

type Options = { db: Db; gitHost: GitHub; cloud: () => CloudGitHost | undefined };
/** What the cloud last said, or why it said nothing. */
export type Heard = { at: number; overview?: LentOverview; error?: AppError };

/** The app of the cloud, for organizations that are linked to one, where this instance has no app of its own. */
export class LentApps {
  readonly #options: Options;
  /** By organization: each has a link of its own, and nobody gets another's tokens. */
  readonly #apps = new Map<string, LentApp>();
  readonly #heard = new Map<string, Heard>();
  readonly #asking = new Map<string, Promise<Heard>>();

  constructor(options: Options) {
    this.#options = options;
  }

  /** Whether an organization could connect this way. */
  async isOpen(organizationId: string): Promise<boolean> {
    const { gitHost, cloud } = this.#options;
    return !gitHost.app && ((await cloud()?.isLinked(organizationId)) ?? false);
  }

  /** Whether it does: somebody has connected. */
  async isUsed(organizationId: string): Promise<boolean> {
    if (this.#options.gitHost.app || !this.#options.cloud()) return false;
    return (await selectLent(this.#options.db, organizationId)) !== undefined;
  }

  appOf(organizationId: string): LentApp {
    const known = this.#apps.get(organizationId);
    if (known) return known;
    const made = this.#options.gitHost.lentApp(lenderOf(this.#options, () => this.#cloud(), organizationId));
    this.#apps.set(organizationId, made);
    return made;
  }

  /** Where a browser connects it. From then on what the cloud says is followed. */
  async begin(caller: Caller, wanted: ConnectWanted): Promise<string> {
    const url = await this.#cloud().connectUrl(caller.organization.id, wanted);
    await this.#use(caller);
    return url;
  }

  /** Takes what is the organization's in the cloud already. True if there is something. */
  async take(caller: Caller): Promise<boolean> {
    const { id } = caller.organization;
    const { error, overview } = await this.#ask(id);
    if (error) throw error;
    if (!overview!.installations.some(({ suspendedAt }) => suspendedAt === null)) return false;
    await this.#use(caller);
    // What was just heard is of before it was used; and should another cloud have been linked meanwhile, of that one.
    await this.#asking.get(id);
    const kept = await this.#ask(id);
    if (kept.error) throw kept.error;
    return kept.overview!.installations.some(({ suspendedAt }) => suspendedAt === null);
  }

  /** What the cloud says, not older than this; what is used of it is kept. Never fails. */
  async look(organizationId: string, maxAgeMs: number): Promise<Heard> {
    const known = this.#heard.get(organizationId);
    if (known && Date.now() - known.at < maxAgeMs) return known;
    return this.#ask(organizationId);
  }

  /** The same, of whoever has that installation. */
  async lookAt(installationId: number): Promise<void> {
    for (const { organizationId: id } of await selectHolders(this.#options.db, [installationId]))
      if (await this.isUsed(id)) await this.follow(id);
  }

  /** Something has changed there. That the cloud is away is for whoever tries again. */
  async follow(organizationId: string): Promise<void> {
    // An answer that is on its way may be of before.
    await this.#asking.get(organizationId);
    const { error } = await this.#ask(organizationId);
    if (error) throw new GitHostError('unavailable', error.extra.message ?? error.message, { cause: error });
  }

  /** What came from the cloud goes. Call `forget` after it. */
  async drop(trx: Trx, organizationId: string): Promise<void> {
    await deleteLent(trx, organizationId);
    await deleteLentInstallations(trx, organizationId);
  }

  forget(organizationId: string): void {
    this.#apps.delete(organizationId);
    this.#heard.delete(organizationId);
    // Whoever asks from now on does not wait for what the old link answers.
    this.#asking.delete(organizationId);
  }

  #use({ organization, userId }: Caller) {
    const row = { organizationId: organization.id, connectedBy: userId, cursor: null, createdAt: Date.now() };
    return insertLent(this.#options.db, row);
  }

  /** Whoever comes at the same time waits for the same answer. */
  #ask(organizationId: string): Promise<Heard> {
    const known = this.#asking.get(organizationId);
    if (known) return known;
    const isCurrent = () => this.#asking.get(organizationId) === asking;
    const asking: Promise<Heard> = this.#asked(organizationId, isCurrent).finally(() => {
      if (isCurrent()) this.#asking.delete(organizationId);
    });
    this.#asking.set(organizationId, asking);
    return asking;
  }

  /** Nothing is kept of an answer that comes when the link is another one. */
  async #asked(organizationId: string, isCurrent: () => boolean): Promise<Heard> {
    const { db } = this.#options;
    try {
      const lent = await selectLent(db, organizationId);
      const overview = await this.#cloud().overview(organizationId);
      if (!isCurrent()) throw cloudUnreachable('is another one now');
      const { webUrl } = this.#options.gitHost.addresses;
      if (overview.host !== webUrl)
        throw new AppError('not_configured', `the cloud uses another git host than ${webUrl}; set up an app here`);
      if (lent) await keepInstallations(db, lent, overview);
      if (!isCurrent()) throw cloudUnreachable('is another one now');
      this.#apps.get(organizationId)?.keepOnly(overview.installations.map(({ id }) => id));
      return this.#note(organizationId, { at: Date.now(), overview });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const heard = { at: Date.now(), error };
      return isCurrent() ? this.#note(organizationId, heard) : heard;
    }
  }

  #note(organizationId: string, heard: Heard): Heard {
    this.#heard.set(organizationId, heard);
    return heard;
  }

  #cloud(): CloudGitHost {
    const cloud = this.#options.cloud();
    if (!cloud) throw new GitHostError('unavailable', 'there is no cloud link');
    return cloud;
  }
}
