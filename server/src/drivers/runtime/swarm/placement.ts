import type { ImageRelease } from '../runtime.ts';
import type { EngineClient } from '../docker/engine/client.ts';
import { EngineError, undefinedIfGone } from '../docker/engine/errors.ts';
import { shortHash } from '../docker/readable-names.ts';
import { replicaOf } from '../replicas.ts';
import { changeNode } from './membership.ts';
import type { OwnService } from './own-services.ts';
import { currentTask } from './service-view.ts';
import type { NodeInfo } from './types.ts';

const mostTries = 20;
const here = 'volumes';

/** Decides on which node a service may run. */
export class Placement {
  readonly #engine: EngineClient;
  readonly #instanceId: string;

  constructor(engine: EngineClient, instanceId: string) {
    [this.#engine, this.#instanceId] = [engine, instanceId];
  }

  nodes(): Promise<NodeInfo[]> {
    return this.#engine.json({ method: 'GET', path: '/nodes' });
  }

  /** Whether the Swarm has given the node up, or does not have it any more. */
  async isDown(id: string): Promise<boolean> {
    const node = await undefinedIfGone(this.#engine.json<NodeInfo>({ method: 'GET', path: `/nodes/${id}` }));
    // After an election of managers, nodes are `unknown` for a moment.
    return !node || node.Status.State === 'down' || node.Status.State === 'disconnected';
  }

  async nameOf(id: string): Promise<string> {
    return (await this.nodes()).find(({ ID }) => ID === id)?.Description.Hostname ?? id;
  }

  /** The node of the engine that we speak to. */
  async ownNodeId(): Promise<string> {
    type Info = { Swarm?: { NodeID?: string; ControlAvailable?: boolean } };
    const { Swarm } = await this.#engine.json<Info>({ method: 'GET', path: '/info' });
    if (!Swarm?.NodeID || !Swarm.ControlAvailable)
      throw new Error('the container engine is not a manager of a Swarm; run `docker swarm init` there');
    return Swarm.NodeID;
  }

  /** Returns the node that has the volumes of a stack. The first call chooses one of `candidates` and records it as a
   * label of the node, so that data never moves: while that node is away, nothing else gets the volumes. */
  async nodeOfVolumes(stack: string, candidates: readonly string[]): Promise<NodeInfo> {
    const label = this.#volumesLabel(stack);
    for (let tries = 1; ; tries++) {
      const nodes = await this.nodes();
      const known = nodes.find(({ Spec }) => Spec.Labels?.[label] === here);
      if (known) return known;
      const chosen = leastUsed(nodes.filter((node) => isUsable(node) && candidates.includes(node.ID)));
      if (!chosen) throw new Error('no node of the Swarm that Mooring can reach is ready to keep volumes');
      try {
        await this.#label(chosen, { ...chosen.Spec.Labels, [label]: here });
      } catch (error) {
        // Somebody else changed the node meanwhile.
        if (!(error instanceof EngineError) || tries === mostTries) throw error;
      }
    }
  }

  /** Forgets which node has the volumes of these stacks, after they were removed. */
  async forgetVolumes(stacks: readonly string[]): Promise<void> {
    const labels = new Set(stacks.map((stack) => this.#volumesLabel(stack)));
    for (const { ID, Spec } of await this.nodes())
      if (Object.keys(Spec.Labels ?? {}).some((name) => labels.has(name)))
        await changeNode(this.#engine, ID, ({ Labels }) => ({
          Labels: Object.fromEntries(Object.entries(Labels ?? {}).filter(([name]) => !labels.has(name))),
        }));
  }

  /** Returns constraints that keep a new replica off the nodes of the others, as long as there are enough nodes.
   * They are only for its start: Swarm may move it anywhere later. */
  async apart({ owner }: ImageRelease, siblings: readonly OwnService[]): Promise<string[]> {
    const others = siblings.filter((each) => replicaOf(each.owner) !== replicaOf(owner));
    const taken = new Set(others.flatMap(({ info, tasks }) => currentTask(info.Spec, tasks)?.NodeID ?? []));
    if (!taken.size) return [];
    const isFree = (await this.nodes()).some((node) => isUsable(node) && !taken.has(node.ID));
    return isFree ? [...taken].map((id) => `node.id!=${id}`) : [];
  }

  #volumesLabel(stack: string): string {
    return `mooring.stack.${shortHash(this.#instanceId, stack)}`;
  }

  async #label({ ID, Version, Spec }: NodeInfo, Labels: Record<string, string>): Promise<void> {
    const query = { version: Version.Index };
    await this.#engine.json({ method: 'POST', path: `/nodes/${ID}/update`, query, body: { ...Spec, Labels } });
  }
}

/** Whether the Swarm starts new tasks there. */
export const isUsable = ({ Spec, Status }: NodeInfo): boolean =>
  Status.State === 'ready' && Spec.Availability === 'active';

/** By the number of stacks whose volumes it has. */
function leastUsed(nodes: readonly NodeInfo[]): NodeInfo | undefined {
  const count = ({ Spec }: NodeInfo) => Object.values(Spec.Labels ?? {}).filter((value) => value === here).length;
  return nodes.toSorted((a, b) => count(a) - count(b))[0];
}
