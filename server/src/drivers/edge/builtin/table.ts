import type { EdgeProject, EdgeRoute } from '../edge.ts';

/** A route and whose it is. */
export interface RouteEntry {
  key: string;
  route: EdgeRoute;
}

/** Which route answers for a host and a path. Never changes: pointing makes a new one and swaps it. */
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

  /** Whether a project answers under a name, at whatever path. */
  has(host: string, key: string): boolean {
    return this.#byHost.get(host)?.some((place) => place.key === key) ?? false;
  }

  /** Whoever else has a name that this project wants, at whatever path: one app never answers for another. */
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
