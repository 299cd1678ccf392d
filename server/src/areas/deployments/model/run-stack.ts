import { configIn } from './stored.ts';
import type { EventType } from '../../../events/event-log.ts';
import type { EdgeRoute } from '../../../drivers/edge/edge.ts';
import { redactor } from '../../../lib/redact.ts';
import type { Sealer } from '../../../lib/seal.ts';
import type { DeploymentConfig } from './model.ts';
import type { DeploymentRow } from './store.ts';
import { storedJson } from '../../../db/stored-json.ts';
import { newServiceState, type ServiceState, Stack, stackSealLocation, serviceStatesOf } from './stack.ts';
import { type Scale, withScale } from './scale.ts';
import type { VolumeRow } from './volume-store.ts';
import { withVolumes } from './volumes.ts';
import { ServiceStates } from './service-states.ts';

/** Writes the row under the lease, together with its events. */
interface Writer {
  write(change: Partial<DeploymentRow>, said: { type: EventType; data: Record<string, unknown> }[]): Promise<void>;
}

type Deps = {
  sealer: Sealer;
  journal: Writer;
  deployment: DeploymentRow;
  secrets: string[];
  routesBefore: () => Promise<EdgeRoute[]>;
  /** Volumes and replica counts from the project's settings. */
  volumes: () => Promise<VolumeRow[]>;
  scale: () => Promise<Scale | undefined>;
};

/** The services of the running deployment: their definition and their state. */
export class RunStack {
  readonly #sealer: Sealer;
  readonly #journal: Writer;
  readonly #deployment: DeploymentRow;
  readonly states: ServiceStates;
  readonly #secrets: string[];
  #redact: (text: string) => string;
  #stack: Stack | undefined;

  /** Routes of the active release, as far as it still runs. */
  readonly routesBefore: () => Promise<EdgeRoute[]>;
  readonly #volumes: Deps['volumes'];
  readonly #scale: Deps['scale'];

  constructor({ sealer, journal, deployment, secrets, routesBefore, volumes, scale }: Deps) {
    this.routesBefore = routesBefore;
    this.#volumes = volumes;
    this.#scale = scale;
    this.#secrets = secrets;
    this.#sealer = sealer;
    this.#journal = journal;
    this.#deployment = deployment;
    this.#stack = stackOf(sealer, deployment);
    this.#redact = redactor([...secrets, ...(this.#stack?.secrets ?? [])]);
    const save: ConstructorParameters<typeof ServiceStates>[1] = (services, said) => journal.write({ services }, said);
    this.states = new ServiceStates(serviceStatesOf(deployment), save, this.redact);
  }

  /** False until detection has run. */
  get isThere(): boolean {
    return this.#stack !== undefined;
  }

  /** Whether it is a single app instead of services from a compose file or a request. */
  get isApp(): boolean {
    return this.#stack?.app !== undefined;
  }

  get wanted(): Stack {
    if (!this.#stack) throw new Error(`deployment ${this.#deployment.id} has no services`);
    return this.#stack;
  }

  /** Redacts secrets. */
  readonly redact = (text: string): string => this.#redact(text);

  /**
   * Sets the definition of the services and keeps the states of an earlier attempt. Even a rollback uses today's
   * volumes: data must not come and go with releases.
   */
  async begin(made: Stack, states = made.project.services.map(({ name }) => this.#known(name))): Promise<void> {
    const scale = await this.#scale();
    const stack = withVolumes(scale ? withScale(made, scale) : made, await this.#volumes());
    this.#stack = stack;
    // Building a redactor takes milliseconds, so it happens only when the secrets change.
    this.#redact = redactor([...this.#secrets, ...stack.secrets]);
    await this.#journal.write({ stack: this.sealed(stack) }, []);
    await this.states.replaceAll(states);
  }

  #known = (name: string): ServiceState =>
    this.states.all().find((state) => state.name === name) ?? newServiceState(name);

  /** Seals the stack for the row of this deployment or of another one. */
  sealed(stack: Stack, id = this.#deployment.id): string {
    return this.#sealer.seal(JSON.stringify(stack), stackSealLocation(id));
  }

  /** Returns the stack of another deployment. */
  of = (other: DeploymentRow): { stack: Stack; states: ServiceState[] } | undefined => {
    const stack = stackOf(this.#sealer, other);
    return stack && { stack, states: serviceStatesOf(other) };
  };

  /** Returns the settings of another deployment, with today's trust. */
  configOf = (row: DeploymentRow, { trusted }: Pick<DeploymentConfig, 'trusted'>): DeploymentConfig => {
    const { trusted: _, ...then } = configIn(this.#sealer, row);
    return { ...then, ...(trusted !== undefined && { trusted }) };
  };
}

const readStack = storedJson('deployments.stack', Stack);

export function stackOf(sealer: Sealer, { id, stack }: Pick<DeploymentRow, 'id' | 'stack'>): Stack | undefined {
  return stack === null ? undefined : readStack(sealer.open(stack, stackSealLocation(id)));
}
