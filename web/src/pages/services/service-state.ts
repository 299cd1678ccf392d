import type { Project, Service } from '../../api.ts';
import type { Container, ContainerUsage } from '../../service-queries.ts';

/** Current CPU and memory; undefined if nothing is measured. */
export type ReplicaLoad = { cpuPercent: number; memoryBytes: number } | undefined;

export type ReplicaState = { container: Container; load: ReplicaLoad; isStopping: boolean };

export type ServiceState = {
  name: string;
  /** Desired number of replicas. */
  wanted: number;
  ready: number;
  /** Desired number from the next deployment on, if it differs. */
  next: number | undefined;
  /** A job that has completed and is not restarted. */
  isCompleted: boolean;
  replicas: ReplicaState[];
  load: ReplicaLoad;
  restarts: number;
};

type Running = { services: Service[]; containers: Container[]; usage: ContainerUsage[] };
type Settings = Pick<Project, 'replicas' | 'scale'>;

/** Returns the state of each service of a release. `isImmediate` is false if scaling waits for the next deployment. */
export function replicaStatesOf(running: Running, settings: Settings, isImmediate: boolean): ServiceState[] {
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
  // The API does not report the number in a compose file; unless the project sets one, the existing replicas count.
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

/** The single service of an app has no planned change, unlike a compose service called `app`. */
const askedFor = ({ name, change }: Service, { replicas, scale }: Settings): number | undefined =>
  name === 'app' && change === null ? replicas : scale[name];

const addLoad = (one: NonNullable<ReplicaLoad>, other: NonNullable<ReplicaLoad>) => ({
  cpuPercent: one.cpuPercent + other.cpuPercent,
  memoryBytes: one.memoryBytes + other.memoryBytes,
});

/** Whether exactly the desired number of replicas is running. */
export const isSettled = ({ ready, wanted, replicas, isCompleted }: ServiceState): boolean =>
  isCompleted || (ready === wanted && replicas.length === wanted);
