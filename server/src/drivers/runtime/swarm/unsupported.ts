import type { ImageRelease } from '../runtime.ts';

/** Throws if the release needs something that a service of a Swarm cannot have. */
export function refuseUnsupported({ owner, service }: ImageRelease): void {
  const { beyond, networkMode, networks, ports, domainName } = service;
  const { capAdd: _capAdd, ...access } = beyond ?? {};
  const isGiven = (value: unknown) => (Array.isArray(value) ? value.length > 0 : Boolean(value));
  const refused = [
    ...Object.entries(access).flatMap(([name, value]) => (isGiven(value) ? named[name as keyof typeof named] : [])),
    ...(networkMode ? ['network_mode'] : []),
    ...(domainName ? ['domainname'] : []),
    ...(networks.some(({ address }) => address) ? ['ipv4_address'] : []),
    ...(ports.some(({ hostIp }) => hostIp && hostIp !== '0.0.0.0') ? ['a published port on one address'] : []),
  ];
  if (refused.length)
    throw new Error(`${owner.service} cannot run on a Swarm, which does not have: ${refused.join(', ')}`);
}

/** As in a compose file. */
const named = {
  isPrivileged: 'privileged',
  securityOptions: 'security_opt',
  devices: 'devices',
  deviceCgroupRules: 'device_cgroup_rules',
  gpus: 'gpus',
  pid: 'pid',
  ipc: 'ipc',
  userns: 'userns_mode',
  uts: 'uts',
  cgroup: 'cgroup',
  cgroupParent: 'cgroup_parent',
  runtime: 'runtime',
};
