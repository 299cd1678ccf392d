import { isAwaited, type ServiceImage, type Stack } from '../../model/stack.ts';
import type { ComposeService } from '../../../../compose/index.ts';
import type { ContainerHealthcheck, ImageRelease, Owner, ServiceOptions } from '../../../../drivers/runtime/runtime.ts';
import { healthCheckPace } from '../../limits/container.ts';
import { isTrusted, requireTrust, type Trust } from '../../stack/checks/trust.ts';
import { listeningPortOf } from '../../stack/endpoints/endpoints.ts';
import {
  trustedAccessOf,
  type ContainerCeiling,
  confinementOf,
  limitsOf,
  ulimitsOf,
} from '../../limits/service-limits.ts';
import { type MountPath, mountsOf } from './mounts.ts';
import { networkModeOf, serviceNetworks, reservedSubnets } from './networks.ts';

/** Input for starting a service of a stack. */
export interface ServiceStart extends Trust {
  stack: Stack;
  service: string;
  image: ServiceImage;
  owner: Owner;
  /** `<projectId>/<environment>`. */
  stackKey: string;
  /** The deployment that each service runs from, by name: for services that share another one's network. */
  networkOwners: Readonly<Record<string, string>>;
  mountPath: MountPath;
  isNamedAtOnce: boolean;
  /** The port of its endpoint, if it has one. */
  endpointPort: number | null;
  /** Limits from the project's settings; in cloud mode also the bounds. */
  ceiling: ContainerCeiling;
}

/** Returns everything the runtime needs to start one service of a stack. */
export function serviceRelease(on: ServiceStart): ImageRelease {
  const { stack, image, owner } = on;
  // Trust may have been revoked since the stack was read.
  requireTrust(stack.project, on, stack.wasAdopted);
  const service = stack.project.services.find(({ name }) => name === on.service);
  if (!service) throw new Error(`there is no service ${on.service} in this stack`);
  const port = listeningPortOf(service, image, on.endpointPort);
  const env = environmentOf(service, port);
  const healthcheck = healthcheckOf(service);
  const { memoryBytes, cpus, ...limits } = limitsOf(service, on.ceiling, on.mode);
  return {
    kind: 'image',
    owner: { ...owner, service: service.name },
    image: image.image,
    imageId: image.imageId,
    env,
    secretKeys: Object.keys(env).filter((key) => holdsSecret(env[key]!, stack.secrets)),
    ...(service.command && { command: service.command }),
    ...(service.entrypoint && { entrypoint: service.entrypoint }),
    listensOn: port,
    ...(memoryBytes !== null && { memoryBytes }),
    ...(cpus !== null && { cpus }),
    ...(healthcheck !== undefined && { healthcheck }),
    ...healthCheckPace(on.ceiling),
    confinement: confinementOf(service, on.mode),
    service: { ...optionsOf(on, service), ...limits },
  };
}

type Options = Omit<ServiceOptions, 'pids' | 'memoryReservationBytes' | 'memorySwapBytes'>;

function optionsOf(on: ServiceStart, service: ComposeService): Options {
  const { project } = on.stack;
  return {
    stack: on.stackKey,
    isNamedAtOnce: on.isNamedAtOnce,
    networks: serviceNetworks(project, service),
    ...reservedSubnets(project),
    networkMode: networkModeOf(service, on.networkOwners),
    ports: on.mode === 'cloud' ? [] : fixedPorts(service),
    mounts: mountsOf(on.stack, service, on.mountPath),
    restart: restartOfService(project.services, service),
    labels: service.labels,
    user: service.user,
    groups: service.groups,
    workingDirectory: service.workingDirectory,
    hostname: service.hostname,
    domainName: service.domainName,
    dns: service.dns,
    dnsOptions: service.dnsOptions,
    dnsSearch: service.dnsSearch,
    extraHosts: service.extraHosts,
    hasInit: service.hasInit,
    hasTty: service.hasTty,
    hasOpenInput: service.hasOpenInput,
    stopSignal: service.stopSignal,
    stopGraceMs: service.stopGraceMs,
    shmBytes: service.shmBytes,
    ulimits: ulimitsOf(service, on.mode),
    sysctls: service.sysctls,
    beyond: isTrusted(on) ? trustedAccessOf(service) : null,
  };
}

/** Variables without a value are not set. An app that Mooring builds gets its port, as if it were deployed alone. */
function environmentOf({ environment, app }: ComposeService, port: number | null): Record<string, string> {
  const given = Object.fromEntries(
    Object.entries(environment).filter((entry): entry is [string, string] => entry[1] !== null),
  );
  if (!app) return given;
  return { NODE_ENV: 'production', HOST: '0.0.0.0', ...given, ...(port !== null && { PORT: String(port) }) };
}

/** Shorter secrets would match ordinary words. */
const shortestPart = 4;
const holdsSecret = (value: string, secrets: readonly string[]): boolean =>
  secrets.some((secret) => secret && (value === secret || (secret.length >= shortestPart && value.includes(secret))));

/** Publishes fixed ports only: a random one would be unknown to everyone. */
const fixedPorts = ({ ports }: ComposeService): ServiceOptions['ports'] =>
  ports.flatMap(({ target, protocol, hostIp, published }) =>
    published && published.from > 0 ? [{ target, protocol, hostIp, published }] : [],
  );

/** Services restart after a reboot, unless their file says otherwise or other services wait for them to complete. */
export function restartOfService(
  services: readonly ComposeService[],
  service: ComposeService,
): ServiceOptions['restart'] {
  const { policy, maxAttempts, isGiven } = service.restart;
  if (isGiven) return { policy, maxAttempts };
  return { policy: isAwaited(services, service.name) ? 'no' : 'always', maxAttempts: null };
}

/** Undefined: the image's own health check. Null: none. */
function healthcheckOf({ healthcheck }: ComposeService): ContainerHealthcheck | null | undefined {
  if (!healthcheck) return undefined;
  if (healthcheck.isDisabled) return null;
  const [kind, ...words] = healthcheck.test ?? [];
  return {
    command: kind === 'CMD-SHELL' ? ['/bin/sh', '-c', words.join(' ')] : words,
    intervalMs: healthcheck.intervalMs ?? 0,
    timeoutMs: healthcheck.timeoutMs ?? 0,
    retries: healthcheck.retries ?? 0,
    startPeriodMs: healthcheck.startPeriodMs ?? 0,
  };
}
