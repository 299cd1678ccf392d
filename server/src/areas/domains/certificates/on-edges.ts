import type { DatabaseKind, Db } from '../../../db/database.ts';
import type { Log } from '../../../lib/log.ts';
import type { Sealer } from '../../../lib/seal.ts';
import type { EdgeLocation } from '../edges/edge-location.ts';
import type { EdgeLocations } from '../edges/edge-locations.ts';
import { PeriodicTaskPerServer } from '../edges/periodic-task-per-server.ts';
import { selectAllWanted } from './store.ts';
import { EdgeCertificates } from './sync.ts';

type Deps = {
  db: Db;
  kind: DatabaseKind;
  sealer: Sealer;
  log: Log;
  places: EdgeLocations;
  onServed: (name: string) => Promise<void>;
};

const everyMs = 15_000;

/** Certificates of all edges. Each edge syncs independently. */
export class CertificatesOnEdges {
  readonly #deps: Deps;
  readonly #here: EdgeCertificates;
  readonly #servers: PeriodicTaskPerServer;
  readonly #known = new Map<string, EdgeCertificates>();

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#here = new EdgeCertificates({ ...deps, place: deps.places.here });
    const round = (place: EdgeLocation) => this.#at(place).sync();
    this.#servers = new PeriodicTaskPerServer({ ...deps, what: 'checking certificates', everyMs, round });
  }

  /** Starts syncing the edges of servers. The local edge is synced by calls of `sync`. */
  start(): void {
    this.#servers.start();
  }

  stop(): Promise<void> {
    return this.#servers.stop();
  }

  /** Syncs the edges of servers now, without waiting for them. */
  soon(): void {
    this.#servers.soon();
  }

  /** Syncs the local edge. */
  sync(): Promise<void> {
    return this.#here.sync();
  }

  /** Syncs the edge that serves a name. */
  async syncOf(name: string): Promise<void> {
    await (await this.#serving(name)).sync();
  }

  /** Syncs the edge of a name and returns why it does not serve the newest certificate; undefined if it does. */
  async problemOf(name: string): Promise<string | undefined> {
    return (await this.#serving(name)).problemOf(name);
  }

  async #serving(name: string): Promise<EdgeCertificates> {
    const { db, places } = this.#deps;
    const wanted = (await selectAllWanted(db)).get(name);
    return wanted ? this.#at(await places.ofProject(wanted.projectId)) : this.#here;
  }

  #at(place: EdgeLocation): EdgeCertificates {
    if (place.serverId === null) return this.#here;
    const known = this.#known.get(place.serverId);
    // The server's connection settings may have changed.
    if (known) known.place = place;
    const made = known ?? new EdgeCertificates({ ...this.#deps, place });
    this.#known.set(place.serverId, made);
    return made;
  }
}
