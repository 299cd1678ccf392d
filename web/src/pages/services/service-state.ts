import type { Project, Service } from '../../api.ts';
import type { Container, ContainerUsage } from '../../service-queries.ts';

/** CPU and memory now; undefined where nothing is measured. */
export type Load = { cpuPercent: number; memoryBytes: number } | undefined;

export type ReplicaState = { container: Container; load: Load; isStopping: boolean };

export type ServiceState = {
  name: string;
  /** How many replicas there should be. */
  wanted: number;
  ready: number;
  /** How many there should be from the next deployment on, where that is another number. */
  next: number | undefined;
  /** A job that has ended and is not started again. */
  isCompleted: boolean;
  replicas: ReplicaState[];
  load: Load;
  restarts: number;
};

type Running = { services: Service[]; containers: Container[]; usage: ContainerUsage[] };
type Settings = Pick<Project, 'replicas' | 'scale'>;

/** State of each service of a release. `isImmediate` is false where scaling waits for the next deployment. */
export function statesOf(running: Running, settings: Settings, isImmediate: boolean): ServiceState[] {
  return running.services
    .filter(({ status }) => status !== 'removed')
    .map((service) => stateOf(service, running, askedFor(service, settings), isImmediate));
}

function stateOf(
  { name, status }: Service,
  { containers, usage }: Running,
  asked: number | undefined,
  isImmediate: boolean,
): ServiceState {
  const own = containers.filter(({ service }) => service === name).toSorted((a, b) => a.replica - b.replica);
  // The API does not say what a compose file asks for; without a number of the project's, those that exist are wanted.
  const wanted = (isImmediate ? asked : undefined) ?? Math.max(own.length, 1);
  const replicas = own.map((container): ReplicaState => ({
    container,
    load: usage.find((each) => each.service === name && each.replica === container.replica),
    isStopping: container.replica > wanted,
  }));
  const loads = replicas.flatMap(({ load }) => load ?? []);
  return {
    name,
    wanted,
    ready: replicas.filter((each) => !each.isStopping && each.container.ready).length,
    next: asked === undefined || asked === wanted ? undefined : asked,
    isCompleted: status === 'completed',
    replicas,
    load: loads.length ? loads.reduce(addLoad) : undefined,
    restarts: own.reduce((sum, { restarts }) => sum + restarts, 0),
  };
}

/** An app has no plan of changes, unlike a service of a compose file that is called `app`. */
const askedFor = ({ name, change }: Service, { replicas, scale }: Settings): number | undefined =>
  name === 'app' && change === null ? replicas : scale[name];

const addLoad = (one: NonNullable<Load>, other: NonNullable<Load>) => ({
  cpuPercent: one.cpuPercent + other.cpuPercent,
  memoryBytes: one.memoryBytes + other.memoryBytes,
});

/** Whether as many replicas run as there should be, and no others. */
export const isSettled = ({ ready, wanted, replicas, isCompleted }: ServiceState): boolean =>
  isCompleted || (ready === wanted && replicas.length === wanted);
