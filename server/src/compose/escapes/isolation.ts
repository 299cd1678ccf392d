import type { ComposeService } from '../service.ts';
import { short, type EscapeAt } from './escape-at.ts';

/** Default capabilities of a container. */
export const usualCapabilities: ReadonlySet<string> = new Set(
  `AUDIT_WRITE CHOWN DAC_OVERRIDE FOWNER FSETID KILL MKNOD NET_BIND_SERVICE NET_RAW SETFCAP SETGID SETPCAP SETUID
  SYS_CHROOT`.split(/\s+/),
);

/** Returns the engine's form: `NET_ADMIN` for `cap_net_admin`. */
export const capabilityName = (name: string): string => name.toUpperCase().replace(/^CAP_/, '');

const harmlessOptions = /^(no-new-privileges([:=]true)?|apparmor[:=]docker-default|seccomp[:=]builtin)$/;

/** Settings of the container's own network namespace only. */
const harmlessSysctls =
  /^net\.(core\.somaxconn|ipv4\.(tcp_[a-z_]+|ip_unprivileged_port_start|ip_local_port_range|ping_group_range)|ipv6\.conf\.(all|default|lo)\.disable_ipv6)$/;

/** Returns privileges beyond those of a default container. */
export function isolationEscapes({ isolation, sysctls }: ComposeService): EscapeAt[] {
  const { isPrivileged, capAdd, securityOptions, devices, deviceCgroupRules, gpus, reservedDevices } = isolation;
  const added = capAdd.filter((name) => !usualCapabilities.has(capabilityName(name)));
  const options = securityOptions.filter((option) => !harmlessOptions.test(option));
  const settings = Object.keys(sysctls).filter((name) => !harmlessSysctls.test(name));
  return [
    ...(isPrivileged
      ? [{ field: 'privileged', reason: 'a privileged container has full control of the machine' }]
      : []),
    ...added.map((name) => ({
      field: 'cap_add',
      reason: `the capability ${short(name)} is beyond the default capabilities of containers`,
    })),
    ...options.map((option) => ({ field: 'security_opt', reason: `${short(option)} removes protection` })),
    ...settings.map((name) => ({ field: 'sysctls', reason: `${short(name)} is a kernel setting of the machine` })),
    ...devices.map((device) => ({ field: 'devices', reason: `${short(device)} is a device of the machine` })),
    ...deviceCgroupRules.map((rule) => ({
      field: 'device_cgroup_rules',
      reason: `${short(rule)} allows devices of the machine`,
    })),
    ...gpus.map((gpu) => ({ field: 'gpus', reason: `${short(gpu)}: GPUs are devices of the machine` })),
    ...reservedDevices.map((device) => ({
      field: 'deploy.resources.reservations.devices',
      reason: `${short(device)}: devices of the machine`,
    })),
    ...(isolation.hasEngineSocket
      ? [{ field: 'use_api_socket', reason: 'access to Docker gives full control of the machine' }]
      : []),
  ];
}
