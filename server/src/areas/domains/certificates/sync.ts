import type { Db } from '../../../db/database.ts';
import type { Edge } from '../../../drivers/edge/edge.ts';
import type { Sealer } from '../../../lib/seal.ts';
import { type CurrentCertificate, selectAllCurrent, selectById } from './store.ts';
import { openKey } from './vault.ts';

/** Keeps what the edge serves in step with the database. The edge serves on with what it has while nobody tells it more. */
export class EdgeCertificates {
  readonly #db: Db;
  readonly #sealer: Sealer;
  readonly #edge: Edge;
  /** Which row the edge has for a name, as far as this process knows: one certificate may be uploaded again with another chain. */
  readonly #rows = new Map<string, string>();

  constructor(db: Db, sealer: Sealer, edge: Edge) {
    this.#db = db;
    this.#sealer = sealer;
    this.#edge = edge;
  }

  /** One that cannot be loaded does not hold up the others. */
  async sync(): Promise<void> {
    const current = await selectAllCurrent(this.#db);
    const wanted = new Set(current.map(({ name }) => name));
    const loaded = new Map((await this.#edge.certificates()).map(({ host, fingerprint }) => [host, fingerprint]));
    const troubles: Error[] = [];
    const attempt = (work: Promise<void>) => work.catch((error: Error) => void troubles.push(error));
    for (const each of current)
      if (loaded.get(each.name) !== each.fingerprint || this.#isOther(each)) await attempt(this.#load(each));
    for (const name of loaded.keys()) if (!wanted.has(name)) await attempt(this.#edge.removeCertificate(name));
    if (troubles[0]) throw troubles[0];
  }

  /** What was uploaded while this process did not run is loaded once, in case that its chain is another one. */
  #isOther({ id, name, source }: CurrentCertificate): boolean {
    const known = this.#rows.get(name);
    return known === undefined ? source === 'uploaded' : known !== id;
  }

  async #load({ id, name }: CurrentCertificate): Promise<void> {
    const row = await selectById(this.#db, id);
    // Replaced a moment ago: whoever did that syncs again.
    if (!row) return;
    await this.#edge.useCertificate({ host: name, chain: row.chain, key: openKey(this.#sealer, row) });
    this.#rows.set(name, id);
  }
}
