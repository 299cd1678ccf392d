import { type DatabaseKind, type Db, inTransaction } from '../../../db/database.ts';
import type { Edge } from '../../../drivers/edge/edge.ts';
import type { Sealer } from '../../../lib/seal.ts';
import type { EdgeLocation } from '../edges/edge-location.ts';
import { lockCertificates } from './lock.ts';
import { type CurrentCertificate, makeCertificateCurrent, selectAllWanted, selectCertificateById } from './store.ts';
import { openKey } from './vault.ts';

type Deps = {
  db: Db;
  kind: DatabaseKind;
  sealer: Sealer;
  place: EdgeLocation;
  /** Runs when the edge serves another certificate than before. */
  onServed: (name: string) => Promise<void>;
};

/**
 * Syncs the certificates of one edge with the database. An edge gets only the keys of projects on its machine. A
 * certificate becomes current only once the edge has loaded it, so a restart after a crash resumes there.
 */
export class EdgeCertificates {
  readonly #deps: Omit<Deps, 'place'>;
  place: EdgeLocation;
  /**
   * Row that the edge has loaded for a name, as far as this process knows: the same certificate may be uploaded again
   * with another chain.
   */
  readonly #rows = new Map<string, string>();
  #last: Promise<unknown> = Promise.resolve();

  constructor(deps: Deps) {
    this.#deps = deps;
    this.place = deps.place;
  }

  /** One sync at a time, so that none loads a certificate that another has just replaced. */
  sync(): Promise<void> {
    const next = this.#last.then(() => this.#sync());
    // The caller gets the error; the next sync runs regardless.
    this.#last = next.catch(() => {});
    return next;
  }

  /** Syncs and returns why this edge does not serve the newest certificate of a name; undefined if it does. */
  async problemOf(name: string): Promise<string | undefined> {
    const trouble = await this.sync().then(
      () => undefined,
      (error: Error) => error.message,
    );
    const wanted = (await this.#wanted()).get(name);
    if (!wanted || (!wanted.isNext && this.#rows.get(name) === wanted.id)) return undefined;
    return trouble ?? 'it was changed at the same time';
  }

  /** One certificate that cannot be loaded does not block the others. */
  async #sync(): Promise<void> {
    // In this order: the projects of a server may move to another one, which takes over its edges.
    const wanted = await this.#wanted();
    const edge = await this.place.edge();
    const loaded = new Map((await edge.certificates()).map(({ host, fingerprint }) => [host, fingerprint]));
    const troubles: Error[] = [];
    const attempt = (work: Promise<void>) => work.catch((error: Error) => void troubles.push(error));
    for (const each of wanted.values()) await attempt(this.#serve(edge, each, loaded.get(each.name)));
    for (const name of loaded.keys()) if (!wanted.has(name)) await attempt(this.#remove(edge, name));
    const [first, ...others] = troubles;
    if (first)
      throw others.length ? new AggregateError(troubles, `${first.message}, and ${others.length} more`) : first;
  }

  async #wanted() {
    const all = [...(await selectAllWanted(this.#deps.db, this.place.serverId))];
    return new Map(all.filter(([, { serverId }]) => serverId === this.place.serverId));
  }

  async #serve(edge: Edge, each: CurrentCertificate, loaded: string | undefined): Promise<void> {
    const { id, name } = each;
    if ((loaded !== each.fingerprint || this.#isOther(each)) && !(await this.#load(edge, each))) return;
    this.#rows.set(name, id);
    if (!each.isNext) return;
    const { db, kind, onServed } = this.#deps;
    const isMade = await inTransaction(db, async (trx) => {
      await lockCertificates(trx, kind, name);
      return makeCertificateCurrent(trx, each);
    });
    if (isMade) await onServed(name);
  }

  /** An uploaded certificate is loaded once after a restart, since its chain may have changed meanwhile. */
  #isOther({ id, name, source }: CurrentCertificate): boolean {
    const known = this.#rows.get(name);
    return known === undefined ? source === 'uploaded' : known !== id;
  }

  async #load(edge: Edge, { id, name }: CurrentCertificate): Promise<boolean> {
    const { db, sealer } = this.#deps;
    const row = await selectCertificateById(db, id);
    // Replaced concurrently; the replacement triggers another sync.
    if (!row?.isCurrent && !row?.isNext) return false;
    await edge.useCertificate({ host: name, chain: row.chain, key: openKey(sealer, row) });
    return true;
  }

  async #remove(edge: Edge, name: string): Promise<void> {
    await edge.removeCertificate(name);
    this.#rows.delete(name);
  }
}
