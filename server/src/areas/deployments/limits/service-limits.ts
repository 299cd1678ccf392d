import { capabilityName, type ComposeService, usualCapabilities } from '../../../compose/index.ts';
import type { Confinement, ServicePrivileges, ServiceOptions } from '../../../drivers/runtime/runtime.ts';
import { limitsUnder, type ContainerCeiling, lesserOf } from './container.ts';
import type { Parts } from '../model/parts.ts';

export type { ContainerCeiling };

type Limits = Pick<ServiceOptions, 'pids' | 'memoryReservationBytes' | 'memorySwapBytes'> &
  Pick<ContainerCeiling, 'memoryBytes' | 'cpus'>;

const mostCloudProcesses = 2048;

/**
 * Returns the file's limits, or else the project's. In cloud mode they are capped by the project and the container
 * bounds, and swap is off.
 */
export function limitsOf({ limits }: ComposeService, ceiling: ContainerCeiling, mode: Parts['mode']): Limits {
  const { memoryReservationBytes, memorySwapBytes, pids } = limits;
  if (mode !== 'cloud')
    return {
      memoryBytes: limits.memoryBytes ?? ceiling.memoryBytes,
      cpus: limits.cpus ?? ceiling.cpus,
      memoryReservationBytes,
      memorySwapBytes,
      pids,
    };
  const { memoryBytes, cpus } = limitsUnder(ceiling, limits);
  return {
    memoryBytes,
    cpus,
    memoryReservationBytes: memoryReservationBytes && lesserOf(memoryReservationBytes, memoryBytes),
    memorySwapBytes: null,
    // -1 means unlimited.
    pids: lesserOf(pids !== null && pids > 0 ? pids : null, mostCloudProcesses),
  };
}

/** Real-time priorities escape a container's CPU limit. */
export const realTimeLimits = ['rtprio', 'rttime'];

export const ulimitsOf = ({ ulimits }: ComposeService, mode: Parts['mode']): ComposeService['ulimits'] =>
  mode === 'cloud'
    ? Object.fromEntries(Object.entries(ulimits).filter(([name]) => !realTimeLimits.includes(name)))
    : ulimits;

/** Enough for an image that starts as root and switches to another user. */
export const cloudCapabilities: ReadonlySet<string> = new Set(
  'CHOWN DAC_OVERRIDE FOWNER FSETID KILL NET_BIND_SERVICE SETGID SETUID'.split(' '),
);

/**
 * Containers get the engine's default capabilities minus those that the file drops; in cloud mode, only the required
 * ones. Anything more is in `beyond`, or was rejected.
 */
export function confinementOf({ isolation, isReadOnly }: ComposeService, mode: Parts['mode']): Confinement {
  const allowed = mode === 'cloud' ? cloudCapabilities : usualCapabilities;
  const dropped = new Set(isolation.capDrop.map(capabilityName));
  const added = new Set(isolation.capAdd.map(capabilityName));
  const has = (name: string) => added.has(name) || (!dropped.has('ALL') && !dropped.has(name));
  return { writableRoot: !isReadOnly, capabilities: [...allowed].filter(has) };
}

/** Returns the machine access of a trusted project; null if it needs none. */
export function trustedAccessOf({ isolation }: ComposeService): ServicePrivileges | null {
  const { isPrivileged, devices, deviceCgroupRules, userns, uts, cgroup, cgroupParent, runtime } = isolation;
  // Namespaces of other services are ignored with a warning; see `ignoredFieldWarnings`.
  const ownMode = (mode: string | null) => (mode?.startsWith('service:') ? null : mode);
  const beyond: ServicePrivileges = {
    isPrivileged,
    capAdd: isolation.capAdd.map(capabilityName).filter((name) => !usualCapabilities.has(name)),
    securityOptions: isolation.securityOptions,
    devices,
    deviceCgroupRules,
    gpus: [...isolation.gpus, ...isolation.reservedDevices],
    pid: ownMode(isolation.pid),
    ipc: ownMode(isolation.ipc),
    userns,
    uts,
    cgroup,
    cgroupParent,
    runtime,
  };
  const asksForNothing = Object.values(beyond).every((value) => !value || (Array.isArray(value) && !value.length));
  return asksForNothing ? null : beyond;
}
