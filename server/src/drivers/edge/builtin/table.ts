import type { EdgeProject, EdgeRoute } from '../edge.ts';

/** A route and its project key. */
export interface RouteEntry {
  key: string;
  route: EdgeRoute;
}

/** Maps a host and path to a route. Immutable: a change creates a new table and swaps it. */
export class RouteTable {
  readonly projects: readonly EdgeProject[];
  readonly #byHost = new Map<string, RouteEntry[]>();

  constructor(projects: readonly EdgeProject[]) {
    this.projects = projects;
    for (const { key, routes } of projects)
      for (const route of routes) {
        const known = this.#byHost.get(route.host);
        if (known) known.push({ key, route });
        else this.#byHost.set(route.host, [{ key, route }]);
      }
    for (const places of this.#byHost.values()) places.sort((a, b) => b.route.path.length - a.route.path.length);
  }

  find(host: string, path: string): RouteEntry | undefined {
    return this.#byHost.get(host)?.find(({ route }) => covers(route.path, path));
  }

  /** Whether a project has a route for the host, at any path. */
  has(host: string, key: string): boolean {
    return this.#byHost.get(host)?.some((place) => place.key === key) ?? false;
  }

  /** Returns the route of another project that has one of this project's hosts, at any path: a host belongs to one
   * project. */
  rivalOf(project: EdgeProject): RouteEntry | undefined {
    for (const { host } of project.routes) {
      const rival = this.#byHost.get(host)?.find(({ key }) => key !== project.key);
      if (rival) return rival;
    }
    return undefined;
  }

  with(project: EdgeProject): RouteTable {
    return new RouteTable([...this.projects.filter(({ key }) => key !== project.key), project]);
  }

  without(key: string): RouteTable {
    return new RouteTable(this.projects.filter((each) => each.key !== key));
  }
}

/** `/docs` covers `/docs` and `/docs/a`, not `/docsearch`. */
function covers(prefix: string, path: string): boolean {
  if (prefix === '/') return true;
  return (
    path.startsWith(prefix) && (path.length === prefix.length || prefix.endsWith('/') || path[prefix.length] === '/')
  );
}
