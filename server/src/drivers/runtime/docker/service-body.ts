import type { ImageRelease, ServiceOptions, ServicePort } from '../runtime.ts';
import { healthcheckOf, specDigest } from './container-body.ts';
import {
  imageLabel,
  labelsOfUser,
  namedLabel,
  ownerLabels,
  reachedLabel,
  restartLabel,
  secretsLabel,
  specLabel,
  stackLabel,
} from './labels.ts';
import type { RestartPolicy } from './own-containers.ts';
import { beyondOf, securityOf } from './service-beyond.ts';
import type { MountSettings } from './service-mounts.ts';
import type { Endpoint } from './stack-networks.ts';

export interface ServicePlace {
  /** The first is part of the container's body; it is connected to the others afterwards. */
  endpoints: Endpoint[];
  /** What its network mode is, where it is on no network of its own. */
  networkMode: string | undefined;
  host: string;
  /** Of the machine, where we reach it; undefined when we do not. */
  port: number | undefined;
  mounts: MountSettings;
  engineLogs: { maxSize: string; maxFiles: number };
}

/** More than apps have: databases and the like are large. */
const mostProcesses = 4096;
const inMemory = 'rw,exec,nosuid,nodev,size=512m,mode=1777';

/** What the engine is told to make of a service of a stack. Less tight than an app: what a file says is what it gets. */
export function serviceBody(spec: ImageRelease, options: ServiceOptions, place: ServicePlace): object {
  const [first] = place.endpoints;
  const bindings = bindingsOf(spec, options, place);
  return {
    Image: spec.imageId,
    ...(spec.entrypoint && { Entrypoint: spec.entrypoint }),
    ...(spec.command && { Cmd: spec.command }),
    Env: Object.entries(spec.env).map((pair) => pair.join('=')),
    Labels: labelsOf(spec, options, place),
    ExposedPorts: Object.fromEntries(Object.keys(bindings).map((port) => [port, {}])),
    ...(spec.healthcheck === null && { Healthcheck: { Test: ['NONE'] } }),
    ...(spec.healthcheck && { Healthcheck: healthcheckOf(spec.healthcheck) }),
    ...programOf(options),
    HostConfig: {
      NetworkMode: place.networkMode ?? first?.network ?? 'none',
      PortBindings: bindings,
      RestartPolicy: restartOf(options),
      LogConfig: {
        Type: 'json-file',
        Config: { 'max-size': place.engineLogs.maxSize, 'max-file': String(place.engineLogs.maxFiles) },
      },
      ...place.mounts,
      ...limitsOf(spec, options),
      ...boxOf(spec, options),
      ...lookupsOf(options),
      ...(options.beyond && beyondOf(options.beyond)),
    },
    ...(first && { NetworkingConfig: { EndpointsConfig: { [first.network]: first.config } } }),
  };
}

function labelsOf(spec: ImageRelease, options: ServiceOptions, { host, port, networkMode }: ServicePlace): object {
  const reached = networkMode === 'host' ? spec.listensOn : port;
  return {
    ...labelsOfUser(options.labels),
    ...ownerLabels(spec.owner),
    [imageLabel]: spec.image,
    [specLabel]: specDigest(spec),
    [secretsLabel]: JSON.stringify(spec.secretKeys),
    [stackLabel]: options.stack,
    [restartLabel]: JSON.stringify(restartOf(options)),
    [reachedLabel]: `${host}:${reached ?? 0}`,
    ...(options.isNamedAtOnce && { [namedLabel]: 'at once' }),
  };
}

/** `unless-stopped` is no other than `always` here: whoever stops it changes the policy (see own-containers.ts). */
function restartOf({ restart: { policy, maxAttempts } }: ServiceOptions): RestartPolicy {
  if (policy === 'on-failure') return { Name: policy, MaximumRetryCount: maxAttempts ?? 0 };
  return { Name: policy === 'no' ? 'no' : 'always' };
}

type Bindings = Record<string, { HostIp: string; HostPort: string }[]>;

function bindingsOf({ listensOn }: ImageRelease, { ports }: ServiceOptions, { host, port, networkMode }: ServicePlace) {
  const bindings: Bindings = {};
  if (networkMode !== undefined) return bindings;
  const bind = (inside: string, HostIp: string, HostPort: string) =>
    (bindings[inside] ??= []).push({ HostIp, HostPort });
  if (listensOn !== null && port !== undefined) bind(`${listensOn}/tcp`, host, String(port));
  for (const { target, protocol, hostIp, published } of ports)
    bind(`${target}/${protocol}`, hostIp ?? '0.0.0.0', hostPortOf(published));
  return bindings;
}

/** Without a number the engine takes any that is free. */
const hostPortOf = ({ from, to }: ServicePort['published']): string =>
  from === 0 ? '' : from === to ? String(from) : `${from}-${to}`;

const programOf = (options: ServiceOptions): object => ({
  ...(options.user !== null && { User: options.user }),
  ...(options.workingDirectory !== null && { WorkingDir: options.workingDirectory }),
  ...(options.networkMode?.kind !== 'service' && {
    ...(options.hostname !== null && { Hostname: options.hostname }),
    ...(options.domainName !== null && { Domainname: options.domainName }),
  }),
  ...(options.stopSignal !== null && { StopSignal: options.stopSignal }),
  ...(options.stopGraceMs !== null && { StopTimeout: Math.ceil(options.stopGraceMs / 1000) }),
  Tty: options.hasTty,
  OpenStdin: options.hasOpenInput,
});

function limitsOf({ memoryBytes, cpus }: ImageRelease, options: ServiceOptions): object {
  return {
    ...(memoryBytes && { Memory: memoryBytes, MemorySwap: options.memorySwapBytes ?? memoryBytes }),
    ...(options.memoryReservationBytes !== null && { MemoryReservation: options.memoryReservationBytes }),
    ...(cpus && { NanoCpus: Math.round(cpus * 1e9) }),
    ...(options.shmBytes !== null && { ShmSize: options.shmBytes }),
    PidsLimit: options.pids ?? mostProcesses,
    Ulimits: Object.entries(options.ulimits).map(([Name, { soft, hard }]) => ({ Name, Soft: soft, Hard: hard })),
    Sysctls: options.sysctls,
  };
}

function boxOf({ confinement }: ImageRelease, options: ServiceOptions): object {
  const { capabilities } = confinement ?? {};
  const isMounted = (folder: string) => options.mounts.some(({ target }) => target === folder);
  const memory = (confinement?.memory ?? []).filter((folder) => !isMounted(folder));
  return {
    ReadonlyRootfs: confinement?.writableRoot === false,
    Tmpfs: Object.fromEntries(memory.map((folder) => [folder, inMemory])),
    CapDrop: capabilities ? ['ALL'] : (options.capDrop ?? []),
    CapAdd: [...(capabilities ?? []), ...(options.beyond?.capAdd ?? [])],
    SecurityOpt: securityOf(options.beyond),
    ...(options.hasInit !== null && { Init: options.hasInit }),
    GroupAdd: options.groups,
  };
}

/** What belongs to the network, and is the other one's where that is shared. */
const lookupsOf = ({ networkMode, ...options }: ServiceOptions): object =>
  networkMode?.kind === 'service'
    ? {}
    : {
        Dns: options.dns,
        DnsOptions: options.dnsOptions,
        DnsSearch: options.dnsSearch,
        ExtraHosts: options.extraHosts.map(({ host, address }) => `${host}:${address}`),
      };
