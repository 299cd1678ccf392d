import { capabilityName, type ComposeService, usualCapabilities } from '../../../compose/index.ts';
import type { Confinement, ServiceBeyond, ServiceOptions } from '../../../drivers/runtime/runtime.ts';
import { boundedBy, type Ceiling, least } from './container.ts';
import type { Parts } from '../model/parts.ts';

export type { Ceiling };

type Limits = Pick<ServiceOptions, 'pids' | 'memoryReservationBytes' | 'memorySwapBytes'> &
  Pick<Ceiling, 'memoryBytes' | 'cpus'>;

const mostCloudProcesses = 2048;

/** The file's own, else the project's. In a cloud never more than the project's or than a container gets, and no swap beyond
 * that. */
export function limitsOf({ limits }: ComposeService, ceiling: Ceiling, mode: Parts['mode']): Limits {
  const { memoryReservationBytes, memorySwapBytes, pids } = limits;
  if (mode !== 'cloud')
    return {
      memoryBytes: limits.memoryBytes ?? ceiling.memoryBytes,
      cpus: limits.cpus ?? ceiling.cpus,
      memoryReservationBytes,
      memorySwapBytes,
      pids,
    };
  const { memoryBytes, cpus } = boundedBy(ceiling, limits);
  return {
    memoryBytes,
    cpus,
    memoryReservationBytes: memoryReservationBytes && least(memoryReservationBytes, memoryBytes),
    memorySwapBytes: null,
    // As many as it likes is what -1 means.
    pids: least(pids !== null && pids > 0 ? pids : null, mostCloudProcesses),
  };
}

/** Programs with such a priority are not held to the processors that a container may use. */
export const beyondProcessors = ['rtprio', 'rttime'];

export const ulimitsOf = ({ ulimits }: ComposeService, mode: Parts['mode']): ComposeService['ulimits'] =>
  mode === 'cloud'
    ? Object.fromEntries(Object.entries(ulimits).filter(([name]) => !beyondProcessors.includes(name)))
    : ulimits;

/** All that an image needs which starts as root and becomes somebody else. */
export const cloudCapabilities: ReadonlySet<string> = new Set(
  'CHOWN DAC_OVERRIDE FOWNER FSETID KILL NET_BIND_SERVICE SETGID SETUID'.split(' '),
);

/** Containers of a stack have what containers have, less what the file takes away; in a cloud only what they need. What is
 * beyond that is in `beyond`, or was refused. */
export function confinementOf({ isolation, isReadOnly }: ComposeService, mode: Parts['mode']): Confinement {
  const allowed = mode === 'cloud' ? cloudCapabilities : usualCapabilities;
  const dropped = new Set(isolation.capDrop.map(capabilityName));
  const added = new Set(isolation.capAdd.map(capabilityName));
  const has = (name: string) => added.has(name) || (!dropped.has('ALL') && !dropped.has(name));
  return { writableRoot: !isReadOnly, capabilities: [...allowed].filter(has) };
}

/** What a trusted project has of the machine; null when it asks for nothing of it. */
export function trustedAccessOf({ isolation }: ComposeService): ServiceBeyond | null {
  const { isPrivileged, devices, deviceCgroupRules, userns, uts, cgroup, cgroupParent, runtime } = isolation;
  // Namespaces of other services are told as not carried out.
  const ownMode = (mode: string | null) => (mode?.startsWith('service:') ? null : mode);
  const beyond: ServiceBeyond = {
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
