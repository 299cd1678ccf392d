import type { Db } from '../../../db/database.ts';
import type { Edge } from '../../../drivers/edge/edge.ts';
import type { Sealer } from '../../../lib/seal.ts';
import { selectAllCurrent, selectByFingerprint } from './store.ts';
import { openKey } from './vault.ts';

/** Keeps what the edge serves in step with the database. The edge serves on with what it has while nobody tells it more. */
export class EdgeCertificates {
  readonly #db: Db;
  readonly #sealer: Sealer;
  readonly #edge: Edge;

  constructor(db: Db, sealer: Sealer, edge: Edge) {
    this.#db = db;
    this.#sealer = sealer;
    this.#edge = edge;
  }

  /** One that cannot be loaded does not hold up the others. */
  async sync(): Promise<void> {
    const wanted = new Map((await selectAllCurrent(this.#db)).map(({ name, fingerprint }) => [name, fingerprint]));
    const loaded = new Map((await this.#edge.certificates()).map(({ host, fingerprint }) => [host, fingerprint]));
    const troubles: Error[] = [];
    const attempt = (work: Promise<void>) => work.catch((error: Error) => void troubles.push(error));
    for (const [name, fingerprint] of wanted)
      if (loaded.get(name) !== fingerprint) await attempt(this.#load(name, fingerprint));
    for (const name of loaded.keys()) if (!wanted.has(name)) await attempt(this.#edge.removeCertificate(name));
    if (troubles[0]) throw troubles[0];
  }

  async #load(name: string, fingerprint: string): Promise<void> {
    const row = await selectByFingerprint(this.#db, name, fingerprint);
    if (row) await this.#edge.useCertificate({ host: name, chain: row.chain, key: openKey(this.#sealer, row) });
  }
}
