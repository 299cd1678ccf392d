import type { ServicePrivileges } from '../../runtime.ts';

/** Returns the settings that widen the confinement of a trusted project. */
export function hostAccessOf({ devices, gpus, ...beyond }: ServicePrivileges): object {
  return {
    Privileged: beyond.isPrivileged,
    Devices: devices.map(deviceOf),
    DeviceCgroupRules: beyond.deviceCgroupRules,
    ...(gpus.length && { DeviceRequests: gpus.map(gpuOf) }),
    ...given('PidMode', beyond.pid),
    ...given('IpcMode', beyond.ipc),
    ...given('UsernsMode', beyond.userns),
    ...given('UTSMode', beyond.uts),
    ...given('CgroupnsMode', beyond.cgroup),
    ...given('CgroupParent', beyond.cgroupParent),
    ...given('Runtime', beyond.runtime),
  };
}

/** Returns the security options; forbids privilege escalation unless explicitly allowed. */
export function securityOf(beyond: ServicePrivileges | null): string[] {
  const said = beyond?.securityOptions ?? [];
  const isSaid = said.some((each) => each.startsWith('no-new-privileges'));
  return isSaid || beyond?.isPrivileged ? said : ['no-new-privileges', ...said];
}

/** Parses `/dev/ttyUSB0`, `/dev/a:/dev/b` or `/dev/a:/dev/b:r`. */
function deviceOf(device: string): object {
  const [host = '', container, permissions] = device.split(':');
  return { PathOnHost: host, PathInContainer: container ?? host, CgroupPermissions: permissions ?? 'rwm' };
}

/** Parses `all`, a count, or Compose's long form as JSON. */
function gpuOf(gpu: string): object {
  if (gpu === 'all') return { Count: -1, Capabilities: [['gpu']] };
  if (/^\d+$/.test(gpu)) return { Count: Number(gpu), Capabilities: [['gpu']] };
  const long = JSON.parse(gpu) as Record<string, unknown>;
  return {
    Driver: long['driver'] ?? '',
    ...(long['device_ids']
      ? { DeviceIDs: long['device_ids'] }
      : { Count: long['count'] === 'all' ? -1 : Number(long['count'] ?? -1) }),
    Capabilities: [[...new Set(['gpu', ...((long['capabilities'] as string[] | undefined) ?? [])])]],
    Options: long['options'] ?? {},
  };
}

const given = (name: string, value: string | null): object => (value === null ? {} : { [name]: value });
