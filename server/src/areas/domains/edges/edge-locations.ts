import type { DatabaseKind, Db } from '../../../db/database.ts';
import type { ProjectTable } from '../../../db/tables.ts';
import type { Edge } from '../../../drivers/edge/edge.ts';
import type { NameResolver } from '../pointing/resolver.ts';
import { type EdgeLocation, localEdgeLocation, serverEdgeLocation } from './edge-location.ts';
import { selectServerOfProject, selectServersById, selectServersWithEdges, type ServerOfProjects } from './store.ts';

/** Returns the edge of a server without connecting to it. */
export type OpenEdge = (server: { organizationId: string; serverId: string }) => Promise<Edge>;

type Options = {
  db: Db;
  kind: DatabaseKind;
  /** Identifies this replica. */
  owner: string;
  edge: Edge;
  baseDomain: string;
  /** The public addresses of this machine, which may change. */
  addresses: () => readonly string[];
  resolver: NameResolver;
};

/** The edge of this machine and those of servers with projects. */
export class EdgeLocations {
  readonly here: EdgeLocation;
  readonly #options: Options;
  #open: OpenEdge = () => Promise.reject(new Error('there are no servers on this instance'));

  constructor(options: Options) {
    this.#options = options;
    this.here = localEdgeLocation(options);
  }

  knowServers(open: OpenEdge): void {
    this.#open = open;
  }

  /** Returns the edge that serves a project; null: the dashboard. */
  async ofProject(projectId: string | null): Promise<EdgeLocation> {
    const server = projectId === null ? undefined : await selectServerOfProject(this.#options.db, projectId);
    return server ? this.#placeOn(server) : this.here;
  }

  /** Returns the edges of servers that have one and that no other replica looks after. */
  async onServers(): Promise<EdgeLocation[]> {
    const { db, kind, owner } = this.#options;
    return (await selectServersWithEdges(db, kind, owner)).map((server) => this.#placeOn(server));
  }

  /** Returns the slug addresses of projects with one query. */
  async urlsOf(projects: readonly Pick<ProjectTable, 'slug' | 'serverId'>[]): Promise<string[]> {
    const ids = [...new Set(projects.flatMap(({ serverId }) => serverId ?? []))];
    const servers = ids.length ? await selectServersById(this.#options.db, ids) : [];
    const places = new Map(servers.map((server) => [server.id, this.#placeOn(server)]));
    return projects.map(({ slug, serverId }) => {
      const place = places.get(serverId ?? '') ?? this.here;
      return place.url(`${slug}.${place.baseDomain}`);
    });
  }

  #placeOn(server: ServerOfProjects): EdgeLocation {
    const { baseDomain, resolver } = this.#options;
    const edge = () => this.#open({ organizationId: server.organizationId, serverId: server.id });
    return serverEdgeLocation(server, { baseDomain, resolver, edge });
  }
}
