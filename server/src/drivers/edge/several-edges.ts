import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { NodeCaller } from '../node-caller.ts';
import { EngineAwayError } from '../runtime/errors.ts';
import { EdgeNotRunningError } from './builtin/control/client.ts';
import { type Edge, type EdgeProject, instanceKey } from './edge.ts';

/** The edge of one node. */
export interface NodeEdge {
  id: string;
  name: string;
  edge: Edge;
  /** It reaches the service itself, and so the dashboard. */
  isHere: boolean;
}

type Options = {
  /** Its ports are those of URLs. */
  head: Edge;
  /** Returns the edges of all nodes that we reach, that of the head first. */
  nodes: () => Promise<readonly NodeEdge[]>;
  /** Whether the cluster has given the node up. */
  isDown: (id: string) => Promise<boolean>;
  /** Receives problems of single nodes that did not fail a call. */
  report: (what: string, error: unknown) => void;
  watchMs?: number;
  againMs?: number;
};

type OfNode<T> = { node: NodeEdge; value: T };

/** Returns one edge that stands for those of all nodes: they have the same routes and certificates. A change succeeds
 * when every node has it that the cluster has not given up; the others get it when they are back. */
export function severalEdges({ head, nodes, isDown, report, watchMs = 2000, againMs = 5000 }: Options): Edge {
  const isAway = (error: unknown) => error instanceof EngineAwayError || error instanceof EdgeNotRunningError;
  const each = new NodeCaller({ isDown, isAway });
  /** Not every node got what it needs at the last `ensure`. */
  let isLacking = false;

  /** Nodes that have missed no change since their routes were listed. */
  const current = new Set<string>();

  async function onAll<T>(task: (edge: Edge, node: NodeEdge) => Promise<T>): Promise<OfNode<T>[]> {
    const known = await nodes();
    const results = await each.all(known, (node) => task(node.edge, node));
    for (const { id } of known) if (!results.some(({ node }) => node.id === id)) current.delete(id);
    return results;
  }

  const all = async (task: (edge: Edge, node: NodeEdge) => Promise<unknown>): Promise<void> => void (await onAll(task));

  const sum = async (task: (edge: Edge) => Promise<number>): Promise<number> =>
    (await onAll(task)).reduce((total, { value }) => total + value, 0);

  /** Returns the routes that all should have: not those that a node has from before it was away. */
  function rightOf(lists: readonly OfNode<EdgeProject[]>[]): EdgeProject[] {
    const isAnyCurrent = lists.some(({ node }) => current.has(node.id));
    const isSure = (node: NodeEdge, { key }: EdgeProject) =>
      !isAnyCurrent || current.has(node.id) || key === instanceKey;
    return newest(lists.map(({ node, value }) => value.filter((project) => isSure(node, project))));
  }

  /** Brings nodes up to date that missed a change. */
  async function repair({ node, value }: OfNode<EdgeProject[]>, right: readonly EdgeProject[]): Promise<void> {
    const known = new Map(value.map((project) => [project.key, project]));
    const wanted = right.filter((project) => isFor(project, node));
    try {
      for (const project of wanted)
        if (!isDeepStrictEqual(known.get(project.key), project)) await node.edge.point(project);
      for (const key of known.keys()) if (!wanted.some((project) => project.key === key)) await node.edge.remove(key);
      current.add(node.id);
    } catch (error) {
      current.delete(node.id);
      report(`the routes on ${node.name} are not up to date`, error);
    }
  }

  return {
    kind: 'several',
    async ensure(onTransfer) {
      const known = await nodes();
      const failures: unknown[] = [];
      isLacking = false;
      const ensureOne = async (node: NodeEdge) => {
        try {
          await each.one(node, () => node.edge.ensure(onTransfer));
        } catch (error) {
          failures.push(error);
          isLacking = true;
          report(`the edge on ${node.name} does not run`, error);
        }
      };
      await Promise.all(known.map(ensureOne));
      if (failures.length === known.length) throw failures[0];
    },
    point: (project) => all(async (edge, node) => isFor(project, node) && edge.point(project)),
    remove: (key) => all((edge) => edge.remove(key)),
    async list() {
      const lists = await onAll((edge) => edge.list());
      const right = rightOf(lists);
      await Promise.all(lists.map((list) => repair(list, right)));
      return right;
    },
    drain: (deploymentId, withinMs) => sum((edge) => edge.drain(deploymentId, withinMs)),
    hold: (deploymentId, times) => sum((edge) => edge.hold(deploymentId, times)),
    held: async () => [...new Set((await onAll((edge) => edge.held())).flatMap(({ value }) => value))],
    resume: (deploymentId) => all((edge) => edge.resume(deploymentId)),
    useCertificate: (certificate) => all((edge) => edge.useCertificate(certificate)),
    removeCertificate: (host) => all((edge) => edge.removeCertificate(host)),
    async certificates() {
      const lists = (await onAll((edge) => edge.certificates())).map(({ value }) => value);
      const known = new Map(lists.flat().map((certificate) => [certificate.host, certificate]));
      // One that a node lacks counts as another one, so that it is sent again.
      return [...known.values()].map((certificate) => {
        const isEverywhere = lists.every((list) => list.some((other) => isDeepStrictEqual(other, certificate)));
        return isEverywhere ? certificate : { ...certificate, fingerprint: '' };
      });
    },
    answerChallengesAt: (service) => all(async (edge, { isHere }) => isHere && edge.answerChallengesAt(service)),
    answerChallenge: (token, answer) => all((edge) => edge.answerChallenge(token, answer)),
    async traffic(since) {
      const reports = (await onAll((edge) => edge.traffic(since))).map(({ value }) => value);
      const minutes = reports.flatMap(({ run, minutes: of }) => of.map((minute) => ({ ...minute, run })));
      return { run: reports[0]!.run, minutes };
    },
    /** Resolves also when a node has come, or come back: it needs the routes. And after a failed `ensure`. */
    async gone() {
      const before = await nodes();
      const ended = new AbortController();
      const hasChanged = async () => {
        const now = await nodes();
        const isSame = isDeepStrictEqual(now.map(idOf), before.map(idOf));
        return !isSame || (await Promise.all([...each.down].map(isDown))).includes(false);
      };
      const changed = async () => {
        while (!ended.signal.aborted) {
          await sleep(watchMs, undefined, { ref: false });
          if (await hasChanged().catch(() => false)) return;
        }
      };
      const there = before.filter(({ id }) => !each.down.has(id));
      const again = isLacking ? [sleep(againMs, undefined, { ref: false })] : [];
      await Promise.race([changed(), ...again, ...there.map(({ edge }) => edge.gone())]);
      ended.abort();
    },
    url: (host, options) => head.url(host, options),
    stop: () => all((edge) => edge.stop()),
  };
}

const idOf = ({ id }: NodeEdge): string => id;

/** Only the edges that reach the service route to it. */
const isFor = ({ key }: EdgeProject, { isHere }: NodeEdge): boolean => isHere || key !== instanceKey;

/** Returns each project as the edge with the highest fence has it; of equal ones, as the first edge has it. */
function newest(lists: readonly EdgeProject[][]): EdgeProject[] {
  const found = new Map<string, EdgeProject>();
  for (const project of lists.flat()) {
    const known = found.get(project.key);
    if (!known || project.fence > known.fence) found.set(project.key, project);
  }
  return [...found.values()];
}
