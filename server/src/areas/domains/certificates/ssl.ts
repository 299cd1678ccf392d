import type { Db } from '../../../db/database.ts';
import type { Edge } from '../../../drivers/edge/edge.ts';
import { readServed } from '../../../drivers/certs/served.ts';
import type { Caller } from '../../../http/caller.ts';
import type { Reach } from '../../../lib/outbound.ts';
import type { NameResolver } from '../pointing/resolver.ts';
import { actionFor } from './action.ts';
import type { Names } from './names-port.ts';
import { selectOrder } from './order-store.ts';
import type { Seen } from './schemas.ts';
import { selectCurrent, selectWanted } from './store.ts';

type On = {
  db: Db;
  names: Names;
  /** Whether there is an authority. */
  hasAuthority: boolean;
  resolver: NameResolver;
  reach: Reach;
  edge: Edge;
};

const probeMs = 10_000;

/** Looks at the certificate of a name. */
export class Ssl {
  readonly #on: On;

  constructor(on: On) {
    this.#on = on;
  }

  /** What we have and what visitors see. Changes nothing. */
  async status(caller: Caller, name: string): Promise<Seen> {
    const { db, names, hasAuthority } = this.#on;
    const isOurs = await names.visibleTo(caller, name, 'read');
    const owner = isOurs ? await names.ownerOf(name) : undefined;
    const [stored, wanted, order, served] = await Promise.all([
      owner && selectCurrent(db, owner.organizationId, name),
      owner && selectWanted(db, owner.organizationId, name),
      owner && selectOrder(db, name),
      this.#probe(name, isOurs),
    ]);
    const isWanted = owner?.isWanted ?? false;
    const isOrdered = isWanted && hasAuthority;
    const isLoading = wanted?.is_next === 1;
    const action = actionFor({ name, isOurs, isWanted, isOrdered, stored, isLoading, served, order });
    // Whoever waits for the end of an order wants to see what came of it.
    const isOpen = isLoading && wanted?.source === 'acme' && order?.status === 'done';
    return { domain: name, isOurs, stored, served, order: isOpen ? { ...order, status: 'running' } : order, action };
  }

  #probe(name: string, isOurs: boolean) {
    const { edge, reach, resolver } = this.#on;
    const port = isOurs ? Number(new URL(edge.url(name, { secure: true })).port || 443) : 443;
    return readServed({ name, port, reach, deadlineMs: probeMs, resolve: (each) => resolver.resolve(each) });
  }
}
