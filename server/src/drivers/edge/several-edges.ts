import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { EachNode } from '../each-node.ts';
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
};

type OfNode<T> = { node: NodeEdge; value: T };

/** Returns one edge that stands for those of all nodes: they have the same routes and certificates. A change succeeds
 * when every node has it that the cluster has not given up; the others get it when they are back. */
export function severalEdges({ head, nodes, isDown, report, watchMs = 2000 }: Options): Edge {
  const isAway = (error: unknown) => error instanceof EngineAwayError || error instanceof EdgeNotRunningError;
  const each = new EachNode({ isDown, isAway });

  const onAll = async <T>(task: (edge: Edge, node: NodeEdge) => Promise<T>): Promise<OfNode<T>[]> =>
    each.all(await nodes(), (node) => task(node.edge, node));

  const all = async (task: (edge: Edge, node: NodeEdge) => Promise<unknown>): Promise<void> => void (await onAll(task));

  const sum = async (task: (edge: Edge) => Promise<number>): Promise<number> =>
    (await onAll(task)).reduce((total, { value }) => total + value, 0);

  /** Brings nodes up to date that missed a change. */
  async function repair({ node, value }: OfNode<EdgeProject[]>, right: readonly EdgeProject[]): Promise<void> {
    const known = new Map(value.map((project) => [project.key, project]));
    for (const project of right)
      if (isFor(project, node) && !isDeepStrictEqual(known.get(project.key), project))
        try {
          await node.edge.point(project);
        } catch (error) {
          report(`${project.key} is not routed on ${node.name}`, error);
        }
  }

  return {
    kind: 'several',
    async ensure(onTransfer) {
      const known = await nodes();
      const failures: unknown[] = [];
      const ensureOne = async (node: NodeEdge) => {
        try {
          await each.one(node, () => node.edge.ensure(onTransfer));
        } catch (error) {
          failures.push(error);
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
      const right = newest(lists.map(({ value }) => value));
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
    /** Resolves also when a node has come, or come back: it needs the routes. */
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
      await Promise.race([changed(), ...there.map(({ edge }) => edge.gone())]);
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
