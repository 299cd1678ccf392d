import { isIP } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { inTransaction } from '../../../db/database.ts';
import type { ServerTable } from '../../../db/tables.ts';
import type { EngineClient } from '../../../drivers/runtime/docker/engine/client.ts';
import {
  changeNode,
  forgetNode,
  initSwarm,
  joinSwarm,
  leaveSwarm,
  nodesFreshMs,
  nodesOf,
  ownNode,
  setLeaving,
} from '../../../drivers/runtime/swarm/membership.ts';
import { servicesOn } from '../../../drivers/runtime/swarm/move-services.ts';
import { OwnServices } from '../../../drivers/runtime/swarm/own-services.ts';
import type { NodeInfo } from '../../../drivers/runtime/swarm/types.ts';
import { AppError, conflict, notFound } from '../../../errors.ts';
import type { Caller } from '../../../http/caller.ts';
import { lockOrganization, recordAudit } from '../../access/port.ts';
import { recordNode } from '../servers/store.ts';
import { visibleServer } from '../servers/visible.ts';
import { HeadMove } from './head.ts';
import { ClusterMembers, type ClusterOptions } from './members.ts';
import { type HeadBody, type JoinBody, type NodeChange, awayProblem, presentCluster } from './schemas.ts';

const marginMs = 500;

/** Makes clusters (Docker Swarms) of servers. A cluster is known by the server that projects are deployed to. */
export class Clusters {
  readonly #options: ClusterOptions;
  readonly #members: ClusterMembers;
  readonly #headMove: HeadMove;

  constructor(options: ClusterOptions) {
    this.#options = options;
    this.#members = new ClusterMembers(options);
    this.#headMove = new HeadMove(options, this.#members);
  }

  async get(caller: Caller, id: string) {
    const head = await visibleServer(this.#options.db, caller, id, 'read');
    return this.#members.onManager(head, (engine) => this.#view(caller, head, engine));
  }

  /** Creates a Swarm, or uses the one that the server manages. */
  async create(caller: Caller, id: string, { advertiseAddress }: { advertiseAddress?: string | undefined }) {
    const head = await this.#members.ownServer(caller, id);
    if (head.kind === 'this_machine' && !this.#options.isSwarmHere)
      throw conflict(
        'this machine runs its apps without a Swarm. Set MOORING_RUNTIME=swarm, restart Mooring and deploy the apps again',
      );
    requireNoNode(head);
    if (head.runtime !== 'swarm' && head.kind === 'ssh') await this.#requireEmpty(caller, id);
    return this.#members.on(head, async (engine) => {
      const known = await ownNode(engine);
      if (known && !known.isManager)
        throw conflict(`${head.name} is a worker of a Swarm; use one of its managers, or let it leave that Swarm`);
      if (known) await this.#requireOnlyHead(caller, head, engine);
      else await initSwarm(engine, advertiseAddress ?? addressOf(head));
      const { id: swarmNodeId } = (await ownNode(engine))!;
      await this.#record(caller, head, { swarmNodeId, runtime: 'swarm' }, 'cluster.created');
      return this.#view(caller, { ...head, swarmNodeId }, engine);
    });
  }

  /** Lets a server join the cluster. */
  async join(caller: Caller, id: string, { serverId, role, advertiseAddress }: JoinBody) {
    const head = await this.#members.head(caller, id);
    const server = await this.#members.ownServer(caller, serverId);
    if (server.kind === 'this_machine') throw conflict('this machine cannot join: create the cluster on it');
    if (server.runtime === 'swarm')
      throw conflict(`${server.name} ${serverId === id ? 'is in this cluster already' : 'has a cluster of its own'}`);
    await this.#requireEmpty(caller, serverId);
    return this.#members.onManager(head, (manager) =>
      this.#members.on(server, async (engine) => {
        const known = await ownNode(engine);
        const isMember = (await nodesOf(manager)).some((node) => node.ID === known?.id);
        if (known && !isMember)
          throw conflict(`${server.name} is in another Swarm; run \`docker swarm leave\` there first`);
        const address = advertiseAddress ?? addressOf(server);
        if (!known) await joinSwarm(manager, engine, { role, address });
        else if (role === 'manager' && !known.isManager) await changeNode(manager, known.id, () => ({ Role: role }));
        const { id: swarmNodeId } = (await ownNode(engine))!;
        await this.#record(caller, server, { swarmNodeId, runtime: 'node' }, 'cluster.joined');
        return this.#view(caller, head, manager);
      }),
    );
  }

  async change(caller: Caller, id: string, nodeId: string, { availability, role, force }: NodeChange) {
    const head = await this.#members.head(caller, id);
    const change = async (engine: EngineClient) => {
      const nodes = await nodesOf(engine);
      const node = nodeIn(nodes, nodeId);
      await this.#serverAt(caller, node);
      if (role === 'worker') await requireOtherManager(head, engine, nodes, node);
      if (role) await changeNode(engine, node.ID, () => ({ Role: role }));
      if (availability === 'active') {
        await setLeaving(engine, node.ID, false);
        await changeNode(engine, node.ID, () => ({ Availability: 'active' }));
      }
      if (availability === 'drain') await this.#drain(head, engine, nodes, node, force);
      const { Hostname } = node.Description;
      await this.#audit(caller, head, 'cluster.node_changed', {
        node: Hostname,
        ...(role && { role }),
        ...(availability && { availability }),
      });
      return this.#view(caller, head, engine);
    };
    return this.#members.onManager(head, change, role === 'worker' ? nodeId : undefined);
  }

  /** Drains a node and removes it. One that does not respond any more is only forgotten. */
  async remove(caller: Caller, id: string, nodeId: string, { force }: { force: boolean }) {
    const head = await this.#members.head(caller, id);
    const remove = async (engine: EngineClient) => {
      const nodes = await nodesOf(engine);
      const node = nodeIn(nodes, nodeId);
      const { Hostname } = node.Description;
      const server = await this.#serverAt(caller, node);
      if (node.ID === head.swarmNodeId)
        throw conflict(
          `projects are deployed to ${head.name}. Choose another manager for them with \`mooring cluster head\` first, or delete them and the server to end the cluster`,
        );
      await requireOtherManager(head, engine, nodes, node);
      const isThere = node.Status.State === 'ready';
      if (!isThere && !force)
        throw conflict(`${Hostname} does not respond. Repeat with force if it will not come back`);
      const view = presentCluster(head, [node], []).nodes[0]!;
      if (view.stacksWithVolumes && !force)
        throw conflict(
          `${Hostname} has volumes of ${view.stacksWithVolumes} ${view.stacksWithVolumes === 1 ? 'stack' : 'stacks'}, which no other node has. Back them up and delete the projects, or repeat with force`,
        );
      if (isThere) await this.#drain(head, engine, nodes, node, force);
      if (node.Spec.Role === 'manager') await changeNode(engine, node.ID, () => ({ Role: 'worker' }));
      if (server && isThere) await this.#letLeave(engine, node.ID, server);
      await forgetNode(engine, node.ID);
      if (server) await this.#record(caller, server, { swarmNodeId: null, runtime: null }, 'cluster.left');
      return this.#view(caller, head, engine);
    };
    return this.#members.onManager(head, remove, nodeId);
  }

  /** Lets projects be deployed to another manager, for example because the head is lost. Apps keep running. */
  changeHead = (caller: Caller, id: string, body: HeadBody) => this.#headMove.change(caller, id, body);

  /** Removes the edge of a node and lets it leave the Swarm. If that fails, it stays a node with an edge: one that
   * nobody looks after would serve old routes. */
  async #letLeave(engine: EngineClient, nodeId: string, server: ServerTable): Promise<void> {
    await setLeaving(engine, nodeId, true);
    try {
      await sleep(nodesFreshMs + marginMs);
      await this.#members.on(server, async (there) => {
        await this.#options.hooks().removeEdge(server);
        await leaveSwarm(there, true);
      });
    } catch (error) {
      await setLeaving(engine, nodeId, false);
      throw error;
    }
  }

  async #drain(head: ServerTable, engine: EngineClient, nodes: NodeInfo[], node: NodeInfo, force: boolean) {
    const { Hostname } = node.Description;
    const isOther = ({ ID, Spec, Status }: NodeInfo) =>
      ID !== node.ID && Status.State === 'ready' && Spec.Availability === 'active';
    if (!nodes.some(isOther) && !force) throw conflict(`there is no other node that could run what ${Hostname} runs`);
    const { bound, jobs } = await servicesOn(new OwnServices(engine, this.#options.instanceId), node.ID);
    const names = [...new Set(bound.map(({ owner }) => owner.service))];
    if (names.length && !force)
      throw conflict(
        `${names.join(', ')} cannot run on another node: volumes or files of it are on ${Hostname}. Repeat with force to stop what is bound to the node`,
      );
    if (jobs.length && !force)
      throw conflict(
        `${Hostname} runs a job of ${jobs[0]!.owner.service}. Try again when it has ended, or repeat with force to end it`,
      );
    // No new tasks get there while the others leave.
    await changeNode(engine, node.ID, () => ({ Availability: 'pause' }));
    if (nodes.some(isOther)) await this.#options.hooks().moveAway(head, engine, node.ID);
    await changeNode(engine, node.ID, () => ({ Availability: 'drain' }));
  }

  async #view(caller: Caller, head: ServerTable, engine: EngineClient) {
    const own = await ownNode(engine);
    if (!own?.isManager)
      throw new AppError(
        'not_found',
        `${head.name} does not manage a cluster; create one with \`mooring cluster init\``,
      );
    const servers = await this.#members.servers(caller);
    const isOther = servers.some(({ id, swarmNodeId }) => swarmNodeId === own.id && id !== head.id);
    return presentCluster(head, await nodesOf(engine), servers, isOther ? [awayProblem(head)] : []);
  }

  /** Returns the server that is the node, which the caller must be allowed to change, too. */
  async #serverAt(caller: Caller, { ID }: NodeInfo): Promise<ServerTable | undefined> {
    const found = (await this.#members.servers(caller)).find(({ swarmNodeId }) => swarmNodeId === ID);
    return found && this.#members.ownServer(caller, found.id);
  }

  /** Two servers that deploy to one Swarm would remove what the other one runs. */
  async #requireOnlyHead(caller: Caller, { id, name }: ServerTable, engine: EngineClient): Promise<void> {
    const members = new Set((await nodesOf(engine)).map(({ ID }) => ID));
    const other = (await this.#members.servers(caller)).find(
      (each) => each.id !== id && each.runtime === 'swarm' && each.swarmNodeId && members.has(each.swarmNodeId),
    );
    if (other) throw conflict(`${name} is a node of the cluster of ${other.name}; deploy projects to ${other.name}`);
  }

  #requireEmpty = (caller: Caller, id: string): Promise<void> =>
    inTransaction(this.#options.db, (trx) => this.#options.hooks().requireEmpty(trx, caller, id));

  async #record(
    caller: Caller,
    row: ServerTable,
    change: Pick<ServerTable, 'swarmNodeId' | 'runtime'>,
    action: 'cluster.created' | 'cluster.joined' | 'cluster.left',
  ): Promise<void> {
    await inTransaction(this.#options.db, async (trx) => {
      await lockOrganization(trx, row.organizationId);
      if (!(await recordNode(trx, row, change))) throw notFound('server');
      await recordAudit(trx, row.organizationId, caller, { action, target: row });
    });
  }

  #audit = (caller: Caller, row: ServerTable, action: 'cluster.node_changed', details: Record<string, string>) =>
    inTransaction(this.#options.db, (trx) =>
      recordAudit(trx, row.organizationId, caller, { action, target: row, details }),
    );
}

const addressOf = ({ host }: ServerTable): string | undefined => (host && isIP(host) ? host : undefined);

function nodeIn(nodes: readonly NodeInfo[], idOrName: string): NodeInfo {
  const found = nodes.filter(({ ID, Description }) => ID === idOrName || Description.Hostname === idOrName);
  if (found.length > 1) throw conflict(`several nodes are called ${idOrName}; use the id of the node`);
  if (!found[0]) throw notFound('node');
  return found[0];
}

async function requireOtherManager(
  head: ServerTable,
  engine: EngineClient,
  nodes: readonly NodeInfo[],
  node: NodeInfo,
) {
  if (node.ID === head.swarmNodeId) throw conflict(`${head.name} must stay a manager: projects are deployed to it`);
  // The manager that the change would go through.
  if (node.ID === (await ownNode(engine))?.id)
    throw conflict(`${node.Description.Hostname} is the only manager that responds`);
  const others = nodes.filter(({ ID, Spec }) => ID !== node.ID && Spec.Role === 'manager');
  if (node.Spec.Role === 'manager' && !others.length)
    throw conflict(`${node.Description.Hostname} is the only manager; make another node a manager first`);
}

/** A node that is only deleted here would go on serving old routes. */
export function requireNoNode({ runtime, swarmNodeId, name }: ServerTable): void {
  if (runtime === 'node' && swarmNodeId !== null)
    throw conflict(`${name} is a node of a cluster; remove it from the cluster first (mooring cluster remove ${name})`);
}
