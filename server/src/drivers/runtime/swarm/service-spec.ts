import type { ImageRelease } from '../runtime.ts';
import type { ImageInfo, Labels } from '../docker/engine/types.ts';
import { healthLabel, imageIdLabel } from '../docker/labels.ts';
import { type ServiceBodyInput, serviceBody } from '../docker/service/body.ts';
import type { MountSettings } from '../docker/service/mounts.ts';
import type { SecretUse, ServiceSpec } from './types.ts';

export interface SwarmServiceInput {
  name: string;
  image: ImageInfo;
  /** What the nodes find the image by. */
  reference: string;
  mounts: MountSettings;
  secrets: SecretUse[];
  networks: { Target: string; Aliases: string[] }[];
  constraints: string[];
  engineLogs: ServiceBodyInput['engineLogs'];
  /** Minor number of the manager's API version. */
  api: number;
}

/** Settings of a container as `serviceBody` returns them, as far as a service has them too. */
interface ContainerBody {
  Entrypoint?: string[];
  Cmd?: string[];
  Env: string[];
  Labels: Labels;
  Healthcheck?: { Test?: string[] | null };
  User?: string;
  WorkingDir?: string;
  Hostname?: string;
  StopSignal?: string;
  StopTimeout?: number;
  Tty: boolean;
  OpenStdin: boolean;
  HostConfig: {
    RestartPolicy: { Name: string; MaximumRetryCount?: number };
    LogConfig: { Type: string; Config: Labels };
    Mounts: object[];
    Binds: string[];
    Memory?: number;
    MemoryReservation?: number;
    NanoCpus?: number;
    ShmSize?: number;
    PidsLimit: number;
    Ulimits: object[];
    Sysctls: Record<string, string>;
    ReadonlyRootfs: boolean;
    Tmpfs: Record<string, string>;
    CapDrop: string[];
    CapAdd: string[];
    SecurityOpt: string[];
    GroupAdd?: string[];
    Init?: boolean;
    Dns?: string[];
    DnsOptions?: string[];
    DnsSearch?: string[];
    ExtraHosts?: string[];
  };
}

const nanoseconds = 1_000_000;
/** Long enough to copy the output of a container that we stopped before Swarm replaces it. */
const restartDelayMs = 2_000;
/** API versions of the engines 25 and 26, which can do more. */
const firstWith = { noNewPrivileges: 44, tmpfsOptions: 46 };

/** Returns the Swarm service of a release: one task, wherever it is placed. */
export function serviceSpec(spec: ImageRelease, place: SwarmServiceInput): ServiceSpec {
  const { networks, constraints, name, image, mounts, engineLogs } = place;
  const body = serviceBody(spec, {
    image,
    mounts,
    engineLogs,
    endpoints: [],
    networkMode: undefined,
    host: name,
    port: spec.listensOn ?? undefined,
    init: { isMissing: false },
  }) as ContainerBody;
  const { HostConfig: host } = body;
  const own = body.Healthcheck?.Test;
  const [test] = (own?.length ? own : image.Config?.Healthcheck?.Test) ?? [];
  const isChecked = test !== undefined && test !== 'NONE';
  return {
    Name: name,
    Labels: { ...body.Labels, [imageIdLabel]: spec.imageId, ...(isChecked && { [healthLabel]: 'checked' }) },
    TaskTemplate: {
      ContainerSpec: containerSpec(body, place),
      Resources: {
        Limits: { Pids: host.PidsLimit, ...given('MemoryBytes', host.Memory), ...given('NanoCPUs', host.NanoCpus) },
        Reservations: given('MemoryBytes', host.MemoryReservation),
      },
      RestartPolicy: { ...restartOf(host.RestartPolicy), Delay: restartDelayMs * nanoseconds },
      Placement: { Constraints: constraints },
      LogDriver: { Name: host.LogConfig.Type, Options: host.LogConfig.Config },
      Networks: networks,
      ForceUpdate: 0,
    },
    Mode: { Replicated: { Replicas: 1 } },
    // Our engine decides when a release replaces another; an update here replaces one task by itself.
    UpdateConfig: { Parallelism: 1, Order: 'stop-first', FailureAction: 'continue' },
    // The name resolves to the task itself. Virtual addresses need kernel support that not every machine has.
    EndpointSpec: { Mode: 'dnsrr', ...(spec.service.ports.length && { Ports: portsOf(spec) }) },
  };
}

function containerSpec(body: ContainerBody, { reference, secrets, api }: SwarmServiceInput) {
  const { HostConfig: host } = body;
  const isLocked = host.SecurityOpt.includes('no-new-privileges');
  return {
    Image: reference,
    Labels: body.Labels,
    ...given('Command', body.Entrypoint),
    ...given('Args', body.Cmd),
    ...given('Hostname', body.Hostname),
    Env: body.Env,
    ...given('Dir', body.WorkingDir),
    ...given('User', body.User),
    ...given('Groups', host.GroupAdd),
    ...given('StopSignal', body.StopSignal),
    ...(body.StopTimeout !== undefined && { StopGracePeriod: body.StopTimeout * 1000 * nanoseconds }),
    ...given('Healthcheck', body.Healthcheck),
    TTY: body.Tty,
    OpenStdin: body.OpenStdin,
    ReadOnly: host.ReadonlyRootfs,
    Init: host.Init,
    Mounts: [...host.Mounts, ...host.Binds.map(bindMount), ...memoryMounts(host, api)],
    Secrets: secrets,
    Hosts: (host.ExtraHosts ?? []).map((each) => each.split(/:(.*)/s).slice(0, 2).toReversed().join(' ')),
    DNSConfig: { Nameservers: host.Dns, Search: host.DnsSearch, Options: host.DnsOptions },
    Sysctls: host.Sysctls,
    Ulimits: host.Ulimits,
    CapabilityAdd: host.CapAdd.map(capability),
    CapabilityDrop: host.CapDrop.map(capability),
    ...(isLocked && api >= firstWith.noNewPrivileges && { Privileges: { NoNewPrivileges: true } }),
  };
}

const given = (name: string, value: unknown): object => (value === undefined ? {} : { [name]: value });

const capability = (name: string): string => (name === 'ALL' || name.startsWith('CAP_') ? name : `CAP_${name}`);

function restartOf({ Name, MaximumRetryCount }: { Name: string; MaximumRetryCount?: number }): object {
  if (Name === 'no') return { Condition: 'none' };
  if (Name === 'on-failure') return { Condition: 'on-failure', MaxAttempts: MaximumRetryCount ?? 0 };
  return { Condition: 'any' };
}

function bindMount(bind: string): object {
  const [Source, Target, modes] = bind.split(':') as [string, string, string];
  const Propagation = modes.split(',').find((mode) => mode !== 'rw' && mode !== 'ro');
  const BindOptions = { CreateMountpoint: true, ...given('Propagation', Propagation) };
  return { Type: 'bind', Source, Target, ReadOnly: modes.startsWith('ro'), BindOptions };
}

const memoryMounts = ({ Tmpfs, ShmSize }: ContainerBody['HostConfig'], api: number): object[] => [
  ...Object.entries(Tmpfs).map(([Target, options]) => ({
    Type: 'tmpfs',
    Target,
    TmpfsOptions: {
      SizeBytes: 512 * 1024 * 1024,
      Mode: 0o1777,
      ...(api >= firstWith.tmpfsOptions && options.includes('exec') && { Options: [['exec']] }),
    },
  })),
  ...(ShmSize ? [{ Type: 'tmpfs', Target: '/dev/shm', TmpfsOptions: { SizeBytes: ShmSize, Mode: 0o1777 } }] : []),
];

/** Published on the node that runs the task. */
const portsOf = ({ service: { ports } }: ImageRelease): object[] =>
  ports.map(({ target, protocol, published }) => ({
    Protocol: protocol,
    TargetPort: target,
    ...(published.from > 0 && { PublishedPort: published.from }),
    PublishMode: 'host',
  }));
