import { setTimeout as sleep } from 'node:timers/promises';
import { htpasswdLine } from './htpasswd.ts';
import type { EngineClient } from '../../runtime/docker/engine/client.ts';
import { undefinedIfGone } from '../../runtime/docker/engine/errors.ts';
import { specLabel } from '../../runtime/docker/labels.ts';
import { shortHash } from '../../runtime/docker/readable-names.ts';
import { updateService } from '../../runtime/swarm/update-service.ts';
import { Placement } from '../../runtime/swarm/placement.ts';
import { hasTaskEnded, type NodeInfo, type ServiceInfo, type ServiceSpec } from '../../runtime/swarm/types.ts';
import { pullImage } from '../pull.ts';
import { ownHints } from './hints.ts';
import { RegistryError } from './image-registry.ts';
import { registryNetwork } from './registry-network.ts';
import {
  collectorSpec,
  registryLabels,
  type RegistryServiceInput,
  registryServiceName,
  registrySettings,
  registrySpec,
} from './registry-spec.ts';
import {
  createSwarmService,
  findSwarmService,
  taskFailureReason,
  removeSwarmService,
  settingsNameIn,
  swarmFile,
  tasksOf,
  untilTasksReplaced,
  untilRegistryRuns,
} from './swarm-objects.ts';

export interface OwnRegistryOptions {
  /** Engine of a manager. */
  engine: EngineClient;
  instanceId: string;
  image: string;
  password: () => Promise<string>;
}

export const registryUser = 'mooring';
/** On the service: images were deleted, and their space is not free yet. */
const garbageLabel = 'mooring.garbage';
const everyMs = 200;
const pullMs = 10 * 60_000;
const collectMs = 60 * 60_000;
/** Longer than it takes to make the registry read-only. */
const prepareMs = 15 * 60_000;

/** The Swarm service of our own registry, and everything that belongs to it. */
export class OwnRegistry {
  readonly #options: OwnRegistryOptions;
  readonly #engine: EngineClient;
  readonly #name: string;

  constructor(options: OwnRegistryOptions) {
    [this.#options, this.#engine] = [options, options.engine];
    this.#name = registryServiceName(options.instanceId);
  }

  network(): Promise<string> {
    return registryNetwork(this.#engine, this.#options.instanceId);
  }

  /** Starts the registry, or changes it to the current settings. Returns its password. */
  async ensure(): Promise<string> {
    const found = await this.#find();
    if (!found || !(await this.#isCollecting())) await this.#put(found, false);
    await untilRegistryRuns(this.#engine, this.#name);
    return this.#options.password();
  }

  async isReadOnly(): Promise<boolean> {
    const found = await this.#find();
    return found !== undefined && settingsNameIn(found.Spec.TaskTemplate) === this.#settingsName(true);
  }

  /** Remembers that there is space to free. */
  async noteGarbage(): Promise<void> {
    const found = await this.#find();
    if (found && !hasGarbage(found.Spec)) await updateService(this.#engine, found, (spec) => withGarbage(spec, true));
  }

  /** Frees the space of deleted images. The registry only serves meanwhile: an upload would lose its layers. Replicas
   * of Mooring exclude each other by the name of a service. */
  async collectGarbage(): Promise<void> {
    const found = await this.#find();
    if (!found || (await this.#isCollecting())) return;
    // A replica that was killed may have left it read-only.
    if (!hasGarbage(found.Spec)) return this.#put(found, false);
    const collector = await createSwarmService(this.#engine, collectorSpec(await this.#place(found, false)));
    if (!collector) return;
    let isDone = false;
    try {
      await this.#put(found, true);
      await untilTasksReplaced(this.#engine, this.#name, this.#settingsName(true));
      await updateService(this.#engine, collector, (spec) => ({ ...spec, Mode: { Replicated: { Replicas: 1 } } }));
      await this.#untilCollected(collector);
      isDone = true;
    } finally {
      await this.#put(found, false, isDone ? false : undefined);
      await untilTasksReplaced(this.#engine, this.#name, this.#settingsName(false));
      await removeSwarmService(this.#engine, collector);
    }
  }

  /** Whether a replica of Mooring frees space now. Cleans up after one that was killed meanwhile. */
  async #isCollecting(): Promise<boolean> {
    const collector = await findSwarmService(this.#engine, `${this.#name}-collect`);
    if (!collector) return false;
    const age = Date.now() - Date.parse(collector.UpdatedAt ?? '');
    const isRunning = collector.Spec.Mode.Replicated.Replicas > 0;
    const hasEnded = isRunning && (await tasksOf(this.#engine, collector.ID)).some(hasTaskEnded);
    if (!hasEnded && age < (isRunning ? collectMs : prepareMs)) return true;
    await removeSwarmService(this.#engine, collector);
    return false;
  }

  async #untilCollected({ ID }: ServiceInfo): Promise<void> {
    for (const giveUp = Date.now() + collectMs; ; await sleep(everyMs)) {
      const ended = (await tasksOf(this.#engine, ID)).find(hasTaskEnded);
      if (ended?.Status.State === 'complete') return;
      if (ended) throw new Error(`its program failed: ${taskFailureReason(ended)}`);
      if (Date.now() > giveUp) throw new Error(`it took longer than ${collectMs / 60_000} minutes`);
    }
  }

  /** Creates or changes the service. Keeps the note about garbage unless `garbage` is given. */
  async #put(found: ServiceInfo | undefined, isReadOnly: boolean, garbage?: boolean): Promise<void> {
    const wanted = registrySpec(await this.#place(found, isReadOnly));
    const current = found && (await this.#find());
    if (!current) return void (await createSwarmService(this.#engine, wanted));
    const isSame = current.Spec.Labels[specLabel] === wanted.Labels[specLabel];
    if (isSame && (garbage ?? hasGarbage(current.Spec)) === hasGarbage(current.Spec)) return undefined;
    return updateService(this.#engine, current, (spec) => withGarbage(wanted, garbage ?? hasGarbage(spec)));
  }

  async #place(found: ServiceInfo | undefined, isReadOnly: boolean): Promise<RegistryServiceInput> {
    const { instanceId } = this.#options;
    const labels = registryLabels(instanceId);
    const password = await this.#options.password();
    const passwords = `${this.#name}-${shortHash(instanceId, password)}`;
    const settings = { kind: 'configs', name: this.#settingsName(isReadOnly), labels } as const;
    return {
      instanceId,
      network: await this.network(),
      ...(await this.#nodeAndImage(found)),
      settings: await swarmFile(this.#engine, settings, async () => registrySettings(isReadOnly)),
      passwords: await swarmFile(this.#engine, { kind: 'secrets', name: passwords, labels }, () =>
        htpasswdLine(registryUser, password),
      ),
    };
  }

  /** The node that has the volume; this one if there is none, or the node has left the Swarm or is drained. The image
   * is named by its id, so that the registry also starts while the image cannot be pulled. */
  async #nodeAndImage(found: ServiceInfo | undefined): Promise<{ node: string; image: string }> {
    const placement = new Placement(this.#engine, this.#options.instanceId);
    const own = await placement.ownNodeId();
    const { Placement: placed, ContainerSpec } = found?.Spec.TaskTemplate ?? {};
    const bound = placed?.Constraints?.[0]?.replace('node.id==', '') ?? own;
    const mayRun = ({ ID, Spec }: NodeInfo) => ID === bound && Spec.Availability !== 'drain';
    if (ContainerSpec && bound !== own && (await placement.nodes()).some(mayRun))
      return { node: bound, image: ContainerSpec.Image };
    return { node: own, image: await this.#imageId() };
  }

  async #imageId(): Promise<string> {
    const { image } = this.#options;
    const find = () =>
      undefinedIfGone(this.#engine.json<{ Id: string }>({ method: 'GET', path: `/images/${image}/json` }));
    const known = await find();
    if (known) return known.Id;
    const run = { signal: new AbortController().signal, onLine: () => {}, deadlineMs: pullMs };
    await pullImage(this.#engine, image, [], run).catch((error: Error) => {
      throw new RegistryError(`the image of the registry cannot be pulled: ${error.message}`, ownHints.away);
    });
    return (await find())!.Id;
  }

  async #find(): Promise<ServiceInfo | undefined> {
    return findSwarmService(this.#engine, this.#name);
  }

  #settingsName(isReadOnly: boolean): string {
    return `${this.#name}-${shortHash(registrySettings(isReadOnly))}`;
  }
}

const hasGarbage = ({ Labels }: ServiceSpec): boolean => garbageLabel in Labels;

function withGarbage(spec: ServiceSpec, isThere: boolean): ServiceSpec {
  const { [garbageLabel]: _, ...labels } = spec.Labels;
  return { ...spec, Labels: isThere ? { ...labels, [garbageLabel]: 'yes' } : labels };
}
