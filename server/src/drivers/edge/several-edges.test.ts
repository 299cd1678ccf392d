import { describe, expect, it } from 'vitest';
import { StaleFenceError } from '../stale-fence.ts';
import { EngineAwayError } from '../runtime/errors.ts';
import { type Edge, instanceKey } from './edge.ts';
import { createMemoryEdge } from './memory.ts';
import { severalEdges } from './several-edges.ts';

const project = (fence: number, key = 'prj_1/production', host = 'a.example.com') => ({
  key,
  fence,
  routes: [{ host, path: '/', deploymentId: 'dep_1', target: { type: 'upstream' as const, host: 'web', port: 80 } }],
});

/** Three nodes in memory, which can be away or given up. */
function stage() {
  const edges = [createMemoryEdge(), createMemoryEdge(), createMemoryEdge()];
  const away = new Set<string>();
  const down = new Set<string>();
  const reports: string[] = [];
  const behind = (id: string, edge: Edge): Edge =>
    new Proxy(edge, {
      get: (_, name: keyof Edge) =>
        name === 'url' || name === 'kind' || name === 'gone'
          ? edge[name]
          : async (...args: never[]) => {
              if (away.has(id)) throw new EngineAwayError(new Error('nobody answers'));
              return (edge[name] as (...given: never[]) => unknown)(...args);
            },
    });
  const nodes = edges.map((edge, i) => ({
    id: `n${i}`,
    name: `node ${i}`,
    edge: behind(`n${i}`, edge),
    isHere: i === 0,
  }));
  let known = nodes;
  const several = severalEdges({
    head: nodes[0]!.edge,
    nodes: async () => known,
    isDown: async (id) => down.has(id),
    report: (what) => reports.push(what),
    watchMs: 20,
    againMs: 20,
  });
  const lists = () => Promise.all(edges.map((edge) => edge.list()));
  return { edges, away, down, reports, several, lists, nodes, know: (some: typeof nodes) => (known = some) };
}

describe('edges of several nodes', () => {
  it('have the same routes, except for those to the service', async () => {
    const { several, lists } = stage();
    await several.point(project(1));
    await several.point(project(1, instanceKey));
    expect(await lists()).toEqual([[project(1), project(1, instanceKey)], [project(1)], [project(1)]]);
    await several.remove('prj_1/production');
    expect((await lists()).map((list) => list.length)).toEqual([1, 0, 0]);
    await several.point(project(5));
    await expect(several.point(project(4))).rejects.toThrow(StaleFenceError);
  });

  it('wait for a node that is away, until the cluster gives it up', async () => {
    const { several, lists, away, down } = stage();
    away.add('n2');
    let isPointed = false;
    const pointed = several.point(project(1)).then(() => (isPointed = true));
    await new Promise((resolve) => setTimeout(resolve, 700));
    expect(isPointed, 'it may still serve').toBe(false);
    down.add('n2');
    await pointed;
    expect((await lists()).map((list) => list.length)).toEqual([1, 1, 0]);
  });

  it('bring a node up to date that missed a change', async () => {
    const { several, edges, lists } = stage();
    await several.point(project(1));
    await edges[1]!.point(project(3, undefined, 'b.example.com'));
    await edges[2]!.remove('prj_1/production');
    expect(await several.list()).toEqual([project(3, undefined, 'b.example.com')]);
    expect(await lists()).toEqual([1, 2, 3].map(() => [project(3, undefined, 'b.example.com')]));
  });

  it('do not get routes back from a node that missed their removal or change', async () => {
    const { several, lists, away, down } = stage();
    await several.point(project(1));
    await several.point(project(1, 'prj_2/production', 'b.example.com'));
    await several.list();
    away.add('n0');
    down.add('n0');
    await several.remove('prj_1/production');
    await several.point(project(1, 'prj_2/production', 'c.example.com'));
    away.delete('n0');
    down.delete('n0');
    const right = [project(1, 'prj_2/production', 'c.example.com')];
    expect(await several.held()).toEqual([]);
    expect(await several.list()).toEqual(right);
    expect(await lists()).toEqual([right, right, right]);
  });

  it('are looked after again when one of them did not start', async () => {
    const { several, edges } = stage();
    edges[1]!.ensure = async () => Promise.reject(new Error('the port is taken'));
    await several.ensure();
    await several.gone();
  });

  it('report that something is gone when a node comes, or comes back', async () => {
    const { several, nodes, know, away, down } = stage();
    know(nodes.slice(0, 2));
    const come = several.gone();
    know(nodes);
    await come;
    away.add('n1');
    down.add('n1');
    await several.point(project(1));
    const back = several.gone();
    down.delete('n1');
    away.delete('n1');
    await back;
  });

  it('fail if no node is left, and count each node for itself', async () => {
    const { several, edges, away, down, nodes } = stage();
    edges.forEach((edge, i) => {
      edge.traffic = async () => ({ run: `run ${i}`, minutes: [{ minute: 1 } as never] });
      edge.drain = async () => i;
    });
    expect(await several.drain('dep_1', 1)).toBe(3);
    expect((await several.traffic(0)).minutes.map(({ run }) => run)).toEqual(['run 0', 'run 1', 'run 2']);
    for (const { id } of nodes) down.add(away.add(id) && id);
    await expect(several.list()).rejects.toThrow(EngineAwayError);
  });
});
