import { ContainerAnswer, type ContainerFacts, type SwarmFacts, type SwarmFile } from './container-answer.ts';
import type { NetworkFacts } from './answers.ts';
import type { NodeFacts, ServiceFacts, SwarmConfigFacts, TaskFacts } from './swarm-answers.ts';

/** What a manager tells about its Swarm. */
export interface SwarmSurvey {
  /** The node of the surveyed engine. */
  nodeId: string;
  services: ServiceFacts[];
  tasks: TaskFacts[];
  nodes: NodeFacts[];
  configs: SwarmConfigFacts[];
}

const label = (name: string): string => `com.docker.swarm.${name}`;

/** Replaces the containers of Swarm services by one entry for each service. */
export function withSwarmServices(
  containers: readonly ContainerFacts[],
  swarm: SwarmSurvey,
  networks: readonly NetworkFacts[],
): ContainerFacts[] {
  const tasks = Map.groupBy(containers, ({ Config }) => Config.Labels[label('service.id')] ?? '');
  const known = new Set(swarm.services.map(({ ID }) => ID));
  const others = containers.filter(({ Config }) => !known.has(Config.Labels[label('service.id')] ?? ''));
  return [
    ...others,
    ...swarm.services.map((service) => serviceFacts(service, tasks.get(service.ID) ?? [], swarm, networks)),
  ];
}

/**
 * Returns a service as if it were one container. The settings are those of its newest container on this machine, which
 * Swarm has created from the service; what only the service knows is added.
 */
function serviceFacts(
  service: ServiceFacts,
  containers: readonly ContainerFacts[],
  swarm: SwarmSurvey,
  networks: readonly NetworkFacts[],
): ContainerFacts {
  const { ID, Spec, CreatedAt } = service;
  const facts = swarmFacts(service, containers.length > 0, swarm);
  const [task = withoutTask(service, facts)] = containers.toSorted(newestFirst);
  const { RestartPolicy, ContainerSpec } = Spec.TaskTemplate;
  const { Condition = '', MaxAttempts = 0 } = RestartPolicy ?? {};
  const { StopGracePeriod } = ContainerSpec;
  return {
    ...task,
    Id: ID,
    Name: `/${Spec.Name}`,
    Created: CreatedAt,
    Config: {
      ...task.Config,
      // The host name of a task is the beginning of its own id.
      Hostname: task.Id.startsWith(task.Config.Hostname) ? '' : task.Config.Hostname,
      StopTimeout: StopGracePeriod === null ? task.Config.StopTimeout : StopGracePeriod / 1e9,
      Labels: { ...Spec.Labels, ...task.Config.Labels, [label('service.name')]: Spec.Name },
    },
    HostConfig: {
      ...task.HostConfig,
      PortBindings: portsOf(service),
      RestartPolicy: { Name: policies[Condition] ?? 'always', MaximumRetryCount: MaxAttempts },
    },
    NetworkSettings: { Networks: networksOf(service, task, networks) },
    swarm: { ...facts, taskId: containers.length ? task.Id : null },
  };
}

const policies: Record<string, string> = { none: 'no', 'on-failure': 'on-failure' };

/** Running ones first. */
const newestFirst = (a: ContainerFacts, b: ContainerFacts): number =>
  Number(b.State.Status === 'running') - Number(a.State.Status === 'running') || (a.Created < b.Created ? 1 : -1);

function swarmFacts(
  { ID, Spec: { Mode, TaskTemplate } }: ServiceFacts,
  isHere: boolean,
  { nodeId, tasks, nodes, configs }: SwarmSurvey,
): Omit<SwarmFacts, 'taskId'> {
  const running = tasks.filter(({ ServiceID, DesiredState, Status }) =>
    [ServiceID === ID, DesiredState === 'running', Status.State === 'running'].every(Boolean),
  );
  const ids = new Set(running.map(({ NodeID }) => NodeID));
  const replicas = (Mode?.['Replicated'] as { Replicas?: unknown } | undefined)?.Replicas;
  const { Secrets, Configs } = TaskTemplate.ContainerSpec;
  return {
    // The engine leaves out the mode if it is the usual one.
    replicas: typeof replicas === 'number' ? replicas : Mode?.['Replicated'] || !Mode ? 1 : null,
    isHere: isHere && (ids.has(nodeId) || !ids.size),
    elsewhere: [...ids]
      .filter((id) => id !== nodeId)
      .map((id) => nodes.find((node) => node.ID === id)?.Description.Hostname || id),
    files: [
      ...Secrets.map(({ SecretID, SecretName, File }) => fileOf(SecretName, File, { secretId: SecretID })),
      ...Configs.map(({ ConfigID, ConfigName, File }) => {
        const data = configs.find((config) => config.ID === ConfigID)?.Spec.Data;
        return fileOf(ConfigName, File, { content: textOrNullOf(Buffer.from(data ?? '', 'base64')) });
      }),
    ],
  };
}

type File = ServiceFacts['Spec']['TaskTemplate']['ContainerSpec']['Secrets'][number]['File'];

function fileOf(name: string, file: File, { secretId = null, content = null }: Partial<SwarmFile>): SwarmFile {
  const folder = secretId === null ? '/' : '/run/secrets/';
  const target = file?.Name || name;
  return {
    name,
    target: target.startsWith('/') ? target : `${folder}${target}`,
    uid: file?.UID || '0',
    gid: file?.GID || '0',
    mode: file?.Mode ?? 0o444,
    secretId,
    content,
  };
}

/** Null if the bytes are not text, which a compose file cannot have. */
export function textOrNullOf(bytes: Buffer): string | null {
  const content = bytes.toString();
  return Buffer.from(content).equals(bytes) ? content : null;
}

/** A port that the Swarm chooses for each task has none in the list of the service. */
const portsOf = ({ Endpoint }: ServiceFacts): ContainerFacts['HostConfig']['PortBindings'] =>
  Object.fromEntries(
    (Endpoint?.Ports ?? []).map(({ TargetPort, Protocol, PublishedPort }) => [
      `${TargetPort}/${Protocol || 'tcp'}`,
      [{ HostIp: '', HostPort: PublishedPort ? String(PublishedPort) : '' }],
    ]),
  );

/** Its networks by name. The addresses are those of a task, which the Swarm has chosen. */
function networksOf(
  { Spec }: ServiceFacts,
  task: ContainerFacts,
  networks: readonly NetworkFacts[],
): ContainerFacts['NetworkSettings']['Networks'] {
  const wanted = Spec.TaskTemplate.Networks.length ? Spec.TaskTemplate.Networks : Spec.Networks;
  const known = wanted.map(({ Target, Aliases }) => {
    const network = networks.find(({ Id, Name }) => Id === Target || Name === Target);
    return [network?.Name ?? Target, { Aliases, IPAMConfig: null }] as const;
  });
  if (known.length) return Object.fromEntries(known);
  return task.HostConfig.NetworkMode === 'host' ? task.NetworkSettings.Networks : {};
}

/** Of a service without containers on this machine: enough to list it, but not to adopt it. */
const withoutTask = ({ ID, Spec }: ServiceFacts, { elsewhere }: Pick<SwarmFacts, 'elsewhere'>): ContainerFacts =>
  ContainerAnswer.parse({
    Id: ID.padEnd(64, '0'),
    State: { Status: elsewhere.length ? 'running' : 'stopped' },
    Config: { ...Spec.TaskTemplate.ContainerSpec },
    HostConfig: {},
    Mounts: Spec.TaskTemplate.ContainerSpec.Mounts.map(({ Type, Source, Target }) => ({
      Type,
      Name: Type === 'volume' ? Source : '',
      Source,
      Destination: Target,
      RW: true,
    })),
    NetworkSettings: {},
  });
