import { type DatabaseKind, type Db, inTransaction } from '../../../db/database.ts';
import type { Edge } from '../../../drivers/edge/edge.ts';
import type { Sealer } from '../../../lib/seal.ts';
import type { EdgeLocation } from '../edges/edge-location.ts';
import { lockCertificates } from './lock.ts';
import { type CurrentCertificate, makeCurrent, selectAllWanted, selectById } from './store.ts';
import { openKey } from './vault.ts';

type Deps = {
  db: Db;
  kind: DatabaseKind;
  sealer: Sealer;
  /** Which edge. */
  place: EdgeLocation;
  /** Visitors get another certificate than before. */
  onServed: (name: string) => Promise<void>;
};

/** Keeps what one edge serves in step with the database: it has the certificates of projects that live on its machine and no
 * others, since a key is nobody's business where it is not needed. The edge serves on with what it has while nobody tells it more. A
 * certificate is shown as there only once the edge has it: whoever starts after a crash in between goes on with that. */
export class EdgeCertificates {
  readonly #deps: Omit<Deps, 'place'>;
  place: EdgeLocation;
  /** Which row the edge has for a name, as far as this process knows: one certificate may be uploaded again with another chain. */
  readonly #rows = new Map<string, string>();
  #last: Promise<unknown> = Promise.resolve();

  constructor(deps: Deps) {
    this.#deps = deps;
    this.place = deps.place;
  }

  /** One at a time, so that none loads what another has just replaced. */
  sync(): Promise<void> {
    const next = this.#last.then(() => this.#sync());
    // Whoever asked for it is told; the next one begins all the same.
    this.#last = next.catch(() => {});
    return next;
  }

  /** Why visitors do not get the newest certificate of a name from this edge, after another try; undefined when they do. */
  async problemOf(name: string): Promise<string | undefined> {
    const trouble = await this.sync().then(
      () => undefined,
      (error: Error) => error.message,
    );
    const wanted = (await this.#wanted()).get(name);
    if (!wanted || (!wanted.isNext && this.#rows.get(name) === wanted.id)) return undefined;
    return trouble ?? 'it was changed at the same time';
  }

  /** One that cannot be loaded does not hold up the others. */
  async #sync(): Promise<void> {
    const edge = await this.place.edge();
    const wanted = await this.#wanted();
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
    const all = [...(await selectAllWanted(this.#deps.db))];
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
      return makeCurrent(trx, each);
    });
    if (isMade) await onServed(name);
  }

  /** What was uploaded while this process did not run is loaded once, in case that its chain is another one. */
  #isOther({ id, name, source }: CurrentCertificate): boolean {
    const known = this.#rows.get(name);
    return known === undefined ? source === 'uploaded' : known !== id;
  }

  async #load(edge: Edge, { id, name }: CurrentCertificate): Promise<boolean> {
    const { db, sealer } = this.#deps;
    const row = await selectById(db, id);
    // Replaced a moment ago: whoever did that syncs again.
    if (!row?.isCurrent && !row?.isNext) return false;
    await edge.useCertificate({ host: name, chain: row.chain, key: openKey(sealer, row) });
    return true;
  }

  async #remove(edge: Edge, name: string): Promise<void> {
    await edge.removeCertificate(name);
    this.#rows.delete(name);
  }
}
