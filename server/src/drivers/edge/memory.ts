import { type Edge, type EdgeProject, StaleFenceError } from './edge.ts';

/** Serves nothing and remembers what it was told: for tests of what stands on an edge. */
export function createMemoryEdge(): Edge {
  const projects = new Map<string, EdgeProject>();
  return {
    kind: 'memory',
    ensure: async () => {},
    async point(project) {
      if ((projects.get(project.key)?.fence ?? 0) > project.fence)
        throw new StaleFenceError(`${project.key} was pointed by a newer worker`);
      projects.set(project.key, project);
    },
    async remove(key) {
      projects.delete(key);
    },
    list: async () => [...projects.values()],
    drain: async () => 0,
    hold: async () => 0,
    held: async () => [],
    resume: async () => {},
    gone: () => new Promise(() => {}),
    url: (host) => `http://${host}`,
    stop: async () => {},
  };
}
