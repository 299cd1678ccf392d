import type { ComposeIsolation } from '../service.ts';
import type { Node } from '../yaml/nodes.ts';
import type { MappingFields } from './fields.ts';

/** Reads everything that may weaken the isolation of a container. */
export function readIsolation(service: MappingFields): ComposeIsolation {
  return {
    isPrivileged: service.flag('privileged') ?? false,
    capAdd: service.texts('cap_add'),
    capDrop: service.texts('cap_drop'),
    securityOptions: service.texts('security_opt'),
    devices: readDevices(service),
    deviceCgroupRules: service.texts('device_cgroup_rules'),
    gpus: written(service.get('gpus')),
    reservedDevices: reservedDevices(service),
    pid: service.text('pid'),
    ipc: service.text('ipc'),
    userns: service.text('userns_mode'),
    uts: service.text('uts'),
    cgroup: service.text('cgroup'),
    cgroupParent: service.text('cgroup_parent'),
    runtime: service.text('runtime'),
    hasEngineSocket: service.flag('use_api_socket') ?? false,
  };
}

/** Of two devices at the same path the later one wins. */
const readDevices = (service: MappingFields): string[] => {
  const devices = service.items('devices').map(deviceText);
  return [...new Map(devices.map((device) => [device.split(':')[1], device])).values()];
};

/** Returns `/dev/x:/dev/y:rwm` for any form. */
function deviceText(node: Node): string {
  if (node.kind !== 'dict') {
    const [source = '', target = source, permissions = 'rwm'] =
      node.kind === 'scalar' ? String(node.value).split(':') : [];
    return [source, target, permissions].join(':');
  }
  const part = (key: string) => {
    const found = node.entries.get(key)?.node;
    return found?.kind === 'scalar' && found.value !== null ? String(found.value) : undefined;
  };
  const source = part('source') ?? '';
  return [source, part('target') ?? source, part('permissions') ?? 'rwm'].join(':');
}

function reservedDevices(service: MappingFields): string[] {
  const reservations = service.inner('deploy')?.inner('resources')?.inner('reservations');
  return written(reservations?.get('devices'));
}

/** Returns the value as text, one line each. */
function written(node: Node | undefined): string[] {
  if (!node) return [];
  if (node.kind === 'list') return node.items.flatMap(written);
  if (node.kind === 'scalar') return [String(node.value)];
  return [[...node.entries].map(([key, entry]) => `${key}=${written(entry.node).join('+')}`).join(',')];
}
