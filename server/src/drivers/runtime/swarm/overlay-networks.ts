import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Owner, ServiceNetwork } from '../runtime.ts';
import type { EngineClient } from '../docker/engine/client.ts';
import { EngineError, undefinedIfGone } from '../docker/engine/errors.ts';
import type { NetworkInfo } from '../docker/engine/types.ts';
import {
  instanceLabel,
  labelsOfUser,
  networkLabel,
  instanceFilter,
  projectLabel,
  projectLabels,
  roleLabel,
  specLabel,
  stackLabel,
  swarmRole,
} from '../docker/labels.ts';
import { readableName, shortHash } from '../docker/readable-names.ts';

const removeMs = 3000;

/** What is connected to the networks of releases besides their services. */
export interface NetworkUsers {
  /** Called with the networks of a release that has started and is reached by a port. */
  onNetworks?: (ids: string[]) => Promise<void>;
  /** Called with networks that no release uses, before they are removed. */
  onUnusedNetworks?: (ids: string[]) => Promise<void>;
}

/** Networks of stacks that reach over all nodes. */
export class OverlayNetworks {
  readonly #engine: EngineClient;
  readonly #instanceId: string;
  readonly #gone = new Set<string>();

  constructor(engine: EngineClient, instanceId: string) {
    [this.#engine, this.#instanceId] = [engine, instanceId];
  }

  /** Creates the network if needed and returns its id. A changed definition is another network. */
  async ensure(owner: Owner, stack: string, network: ServiceNetwork): Promise<string> {
    if (network.externalName !== null) return this.#external(owner, network.externalName);
    const { name, isInternal, subnet, labels } = network;
    const spec = shortHash(JSON.stringify([isInternal, subnet ?? null]));
    const ours = { [stackLabel]: stack, [networkLabel]: name, [specLabel]: spec };
    const isIt = ({ Labels }: NetworkInfo) => Object.entries(ours).every(([label, value]) => Labels?.[label] === value);
    const found = (await this.list()).find(isIt);
    if (found) return found.Id;
    const range = subnet && { Subnet: subnet.subnet, ...(subnet.gateway && { Gateway: subnet.gateway }) };
    const body = {
      Name: `mooring-${shortHash(this.#instanceId, stack)}-${readableName(name)}-${randomBytes(4).toString('hex')}`,
      Driver: 'overlay',
      // The edges join it while they run.
      Attachable: true,
      Internal: isInternal,
      Labels: { ...labelsOfUser(labels), ...projectLabels(owner), ...ours, [roleLabel]: swarmRole },
      ...(range && { IPAM: { Config: [range] } }),
    };
    await this.#engine.json<{ Id: string }>({ method: 'POST', path: '/networks/create', body });
    // Of two that were created at once, all use the older one; the other is swept.
    return (await this.list()).find(isIt)!.Id;
  }

  /** An engine lists a network for a moment after the Swarm has removed it. */
  forget(id: string): void {
    this.#gone.add(id);
  }

  /** Removes our networks that no service uses. */
  async sweep(used: ReadonlySet<string>, { onNetworks, onUnusedNetworks }: NetworkUsers): Promise<void> {
    const unused = (await this.list()).flatMap(({ Id }) => (used.has(Id) ? [] : [Id]));
    if (!unused.length) return;
    await onUnusedNetworks?.(unused);
    const isRemoved = await Promise.all(unused.map((id) => this.#remove(id)));
    const kept = unused.filter((_, i) => !isRemoved[i]);
    if (kept.length) await onNetworks?.(kept);
  }

  /** Oldest first. */
  async list(): Promise<NetworkInfo[]> {
    const filters = instanceFilter(this.#instanceId);
    const all = await this.#engine.json<NetworkInfo[]>({ method: 'GET', path: '/networks', query: { filters } });
    return all
      .filter(({ Id, Labels }) => Labels?.[roleLabel] === swarmRole && !this.#gone.has(Id))
      .toSorted((a, b) => (a.Created < b.Created ? -1 : 1));
  }

  /** Returns false if it is in use: a task is still ending, or a service has just been created. The next sweep removes
   * it. */
  async #remove(id: string): Promise<boolean> {
    for (const giveUp = Date.now() + removeMs; ; await sleep(200))
      try {
        await undefinedIfGone(this.#engine.json({ method: 'DELETE', path: `/networks/${id}` }));
        return true;
      } catch (error) {
        if (!(error instanceof EngineError)) throw error;
        if (Date.now() > giveUp) return false;
      }
  }

  async #external({ projectId }: Owner, name: string): Promise<string> {
    const found = await this.#find(name);
    if (!found) throw new Error(`the external network ${name} does not exist in the Swarm`);
    const { [instanceLabel]: instance, [projectLabel]: project } = found.Labels ?? {};
    if (instance !== undefined && (instance !== this.#instanceId || project !== projectId))
      throw new Error(`the network ${name} belongs to another project`);
    if (found.Driver !== 'overlay')
      throw new Error(
        `the external network ${name} exists on one machine only; services of a Swarm need an overlay network`,
      );
    return found.Id;
  }

  #find(name: string): Promise<NetworkInfo | undefined> {
    return undefinedIfGone(
      this.#engine.json<NetworkInfo>({
        method: 'GET',
        path: `/networks/${encodeURIComponent(name)}`,
        query: { scope: 'swarm' },
      }),
    );
  }
}
