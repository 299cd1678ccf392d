import type { Db } from '../../../db/database.ts';
import { readServed } from '../../../drivers/certs/served.ts';
import type { Caller } from '../../../http/caller.ts';
import type { OutboundReach } from '../../../lib/outbound.ts';
import { type EdgeLocation, portOf } from '../edges/edge-location.ts';
import type { EdgeLocations } from '../edges/edge-locations.ts';
import type { NameResolver } from '../pointing/resolver.ts';
import { certificateActionFor } from './action.ts';
import type { CertificateNamesPort } from './certificate-names-port.ts';
import { selectOrder } from './order-store.ts';
import type { SeenCertificate } from './schemas.ts';
import { selectCurrentCertificate, selectWantedCertificate } from './store.ts';

type Deps = {
  db: Db;
  names: CertificateNamesPort;
  hasAuthority: boolean;
  resolver: NameResolver;
  reach: OutboundReach;
  places: EdgeLocations;
};

const probeMs = 10_000;

/** Inspects the certificate of a name. */
export class Ssl {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Returns the stored and the served certificate. Read-only. */
  async status(caller: Caller, name: string): Promise<SeenCertificate> {
    const { db, names, places, hasAuthority } = this.#deps;
    const isOurs = await names.visibleTo(caller, name, 'read');
    const owner = isOurs ? await names.ownerOf(name) : undefined;
    const place = owner && (await places.ofProject(owner.projectId));
    const [stored, wanted, order, served] = await Promise.all([
      owner && selectCurrentCertificate(db, owner.organizationId, name),
      owner && selectWantedCertificate(db, owner.organizationId, name),
      owner && selectOrder(db, name),
      this.#probe(name, place),
    ]);
    const isWanted = owner?.isWanted ?? false;
    const isOrdered = isWanted && hasAuthority;
    const isLoading = wanted?.isNext === 1;
    const machine = (place ?? places.here).machine;
    const action = certificateActionFor({
      name,
      machine,
      isOurs,
      isWanted,
      isOrdered,
      stored,
      isLoading,
      served,
      order,
    });
    // An issued certificate that the edge has not loaded yet counts as running, so that clients keep polling.
    const isOpen = isLoading && wanted?.source === 'acme' && order?.status === 'done';
    return { domain: name, isOurs, stored, served, order: isOpen ? { ...order, status: 'running' } : order, action };
  }

  #probe(name: string, place: EdgeLocation | undefined) {
    const { reach, resolver } = this.#deps;
    const port = place ? portOf(place, { secure: true }) : 443;
    return readServed({ name, port, reach, deadlineMs: probeMs, resolve: (each) => resolver.resolve(each) });
  }
}
