import { inTransaction } from '../../../db/database.ts';
import type { ServerTable } from '../../../db/tables.ts';
import { stopLostRegistry } from '../../../drivers/images/registry/remove-registry.ts';
import type { EngineClient } from '../../../drivers/runtime/docker/engine/client.ts';
import { nodesOf, ownNode } from '../../../drivers/runtime/swarm/membership.ts';
import { servicesOn } from '../../../drivers/runtime/swarm/move-services.ts';
import { OwnServices } from '../../../drivers/runtime/swarm/own-services.ts';
import type { NodeInfo, ServiceSpec } from '../../../drivers/runtime/swarm/types.ts';
import { AppError, conflict } from '../../../errors.ts';
import type { Caller } from '../../../http/caller.ts';
import { lockOrganization, recordAudit } from '../../access/port.ts';
import { swapHead } from '../servers/store.ts';
import type { ClusterMembers, ClusterOptions } from './members.ts';
import { type HeadBody, presentCluster } from './schemas.ts';

/** Moves the head of a cluster, the server that projects are deployed to, to another manager. */
export class HeadMove {
  readonly #options: ClusterOptions;
  readonly #members: ClusterMembers;

  constructor(options: ClusterOptions, members: ClusterMembers) {
    this.#options = options;
    this.#members = members;
  }

  /** Lets projects be deployed to another manager, for example because the head is lost. Apps keep running. */
  async change(caller: Caller, id: string, { serverId, force }: HeadBody) {
    const head = await this.#members.head(caller, id);
    const target = await this.#members.ownServer(caller, serverId);
    if (serverId === id) throw conflict(`${head.name} is the server of the cluster already`);
    if (head.kind === 'this_machine')
      throw conflict('projects of this machine cannot be deployed through another server');
    if (target.kind === 'this_machine') throw conflict('this machine cannot take over the cluster of another server');
    requireNodeOf(head, target);
    const { nodes, swarmNodeId } = await this.#members.onManager(head, async (manager) => {
      const all = await nodesOf(manager);
      const { ID } = await this.#requireManagerNode(head, target, all);
      if (!force) await this.#requireNoFiles(head, target, manager, all);
      return { nodes: all, swarmNodeId: ID };
    });
    const now = await inTransaction(this.#options.db, async (trx) => {
      await lockOrganization(trx, head.organizationId);
      const [from, to] = [
        await this.#members.head(caller, id, trx),
        await this.#members.ownServer(caller, serverId, trx),
      ];
      requireNodeOf(from, to);
      await swapHead(trx, from, to, swarmNodeId);
      await this.#options.hooks().moveProjects(trx, from, to);
      const details = { from: from.name };
      await recordAudit(trx, to.organizationId, caller, { action: 'cluster.head_changed', target: to, details });
      return this.#members.ownServer(caller, serverId, trx);
    });
    this.#options.hooks().forget(head);
    // Nothing may fail any more: projects have moved.
    const problems = await this.#stopLostRegistry(now, nodes);
    return presentCluster(now, nodes, await this.#members.servers(caller), problems);
  }

  async #stopLostRegistry(head: ServerTable, nodes: readonly NodeInfo[]): Promise<string[]> {
    try {
      await this.#members.on(head, (engine) => stopLostRegistry(engine, this.#options.instanceId, nodes));
      return [];
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return [
        `the registry may still wait for the lost server: ${error.message}; remove that server from the cluster (mooring cluster remove <node> --force)`,
      ];
    }
  }

  /** Services with mounted folders or files start on the new head from then on. Those of a lost head have no choice. */
  async #requireNoFiles(head: ServerTable, target: ServerTable, manager: EngineClient, nodes: readonly NodeInfo[]) {
    const node = nodes.find(({ ID, Status }) => ID === head.swarmNodeId && Status.State === 'ready');
    if (!node) return;
    const { bound } = await servicesOn(new OwnServices(manager, this.#options.instanceId), node.ID);
    const names = new Set(bound.filter(({ info }) => hasBinds(info.Spec)).map(({ owner }) => owner.service));
    if (names.size)
      throw conflict(
        `mounted folders or files of ${[...names].join(', ')} are on ${head.name}. After the move these services start on ${target.name} at their next deployment, without the files that they wrote, and those of stacks with volumes on ${head.name} cannot be deployed. Repeat with force to move anyway`,
      );
  }

  /** Returns the node of a server that can be the head: a manager that Mooring reaches. */
  async #requireManagerNode(head: ServerTable, target: ServerTable, nodes: readonly NodeInfo[]): Promise<NodeInfo> {
    const own = await this.#members.on(target, ownNode);
    const node = nodes.find(({ ID }) => ID === own?.id);
    if (!own || !node) throw notInCluster(head, target);
    if (!own.isManager)
      throw conflict(
        `${target.name} is a worker; make it a manager first (mooring cluster role ${target.name} manager)`,
      );
    if (node.Spec.Availability !== 'active')
      throw conflict(
        `${target.name} is drained or paused; activate it first (mooring cluster activate ${target.name})`,
      );
    return node;
  }
}

const notInCluster = (head: ServerTable, { name }: ServerTable) =>
  conflict(
    `${name} is not a node of the cluster of ${head.name}; let it join first (mooring cluster join ${name} --manager)`,
  );

function requireNodeOf(head: ServerTable, target: ServerTable): void {
  const { runtime, swarmNodeId, name } = target;
  if (runtime === 'docker') throw conflict(`${name} runs projects of its own`);
  if (runtime === 'swarm') throw conflict(`${name} has a cluster of its own`);
  if (swarmNodeId === null) throw notInCluster(head, target);
}

const hasBinds = ({ TaskTemplate: { ContainerSpec } }: ServiceSpec): boolean =>
  ((ContainerSpec['Mounts'] ?? []) as { Type: string }[]).some(({ Type }) => Type === 'bind');
