import type { EdgeProject, EdgeRoute } from '../edge.ts';

/** Which route answers for a host and a path. Never changes: pointing makes a new one and swaps it. */
export class Table {
  readonly projects: readonly EdgeProject[];
  readonly #byHost = new Map<string, EdgeRoute[]>();

  constructor(projects: readonly EdgeProject[]) {
    this.projects = projects;
    for (const route of projects.flatMap((each) => each.routes)) {
      const known = this.#byHost.get(route.host);
      if (known) known.push(route);
      else this.#byHost.set(route.host, [route]);
    }
    for (const routes of this.#byHost.values()) routes.sort((a, b) => b.path.length - a.path.length);
  }

  find(host: string, path: string): EdgeRoute | undefined {
    return this.#byHost.get(host)?.find((route) => covers(route.path, path));
  }

  /** Whoever else has a name and path that this project wants: one app never answers for another. */
  rivalOf(project: EdgeProject): { key: string; route: EdgeRoute } | undefined {
    for (const other of this.projects) {
      if (other.key === project.key) continue;
      const route = other.routes.find((theirs) =>
        project.routes.some((ours) => ours.host === theirs.host && ours.path === theirs.path),
      );
      if (route) return { key: other.key, route };
    }
    return undefined;
  }

  with(project: EdgeProject): Table {
    return new Table([...this.without(project.key).projects, project]);
  }

  without(key: string): Table {
    return new Table(this.projects.filter((each) => each.key !== key));
  }
}

/** `/docs` covers `/docs` and `/docs/a`, not `/docsearch`. */
function covers(prefix: string, path: string): boolean {
  if (prefix === '/') return true;
  return (
    path.startsWith(prefix) && (path.length === prefix.length || prefix.endsWith('/') || path[prefix.length] === '/')
  );
}
