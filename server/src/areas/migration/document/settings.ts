import type { ContainerFacts } from '../../../drivers/runtime/docker/survey/answers.ts';
import type { ServiceFields, FoundContainer } from './service-fields.ts';
import { fieldUnlessEmpty } from './service-fields.ts';

const usualShmBytes = 64 * 1024 * 1024;
const usualPeriod = 100_000;
const usualRuntimes = ['', 'runc', 'io.containerd.runc.v2'];

/** Returns the resource limits. */
export function limitFields({ container }: FoundContainer): ServiceFields {
  const { HostConfig: host } = container;
  // Engines default swap to the size of the memory limit.
  const swap = host.Memory ? host.MemorySwap || 2 * host.Memory : 0;
  const ulimits = host.Ulimits.map(({ Name, Soft, Hard }) => [Name, { soft: Soft, hard: Hard }]);
  return {
    ...fieldUnlessEmpty('mem_limit', host.Memory),
    ...fieldUnlessEmpty('memswap_limit', swap),
    ...fieldUnlessEmpty('mem_reservation', host.MemoryReservation),
    ...fieldUnlessEmpty('cpus', cpusOf(container)),
    ...fieldUnlessEmpty('pids_limit', Math.max(0, host.PidsLimit)),
    ...fieldUnlessEmpty('shm_size', host.ShmSize === usualShmBytes ? 0 : host.ShmSize),
    ...fieldUnlessEmpty('ulimits', Object.fromEntries(ulimits) as object),
    ...fieldUnlessEmpty('sysctls', host.Sysctls),
    // The fields below are not supported; they are kept so that the parser warns about them.
    ...fieldUnlessEmpty('cpu_shares', host.CpuShares),
    ...fieldUnlessEmpty('cpuset', host.CpusetCpus),
    ...fieldUnlessEmpty('oom_kill_disable', host.OomKillDisable),
    ...fieldUnlessEmpty('oom_score_adj', host.OomScoreAdj),
    ...fieldUnlessEmpty('blkio_config', host.BlkioWeight && { weight: host.BlkioWeight }),
    ...fieldUnlessEmpty('storage_opt', host.StorageOpt),
    ...loggingFields(host.LogConfig),
  };
}

function loggingFields(log: FoundContainer['container']['HostConfig']['LogConfig']): ServiceFields {
  if (!log || (['', 'json-file', 'local'].includes(log.Type) && !Object.keys(log.Config).length)) return {};
  return { logging: { ...fieldUnlessEmpty('driver', log.Type), ...fieldUnlessEmpty('options', log.Config) } };
}

/** Returns the isolation settings and privileges. */
export function isolationFields({ container: { HostConfig: host }, cgroup }: FoundContainer): ServiceFields {
  const devices = host.Devices.map(({ PathOnHost, PathInContainer, CgroupPermissions }) =>
    [PathOnHost, PathInContainer || PathOnHost, CgroupPermissions || 'rwm'].join(':'),
  );
  return {
    ...fieldUnlessEmpty('privileged', host.Privileged),
    ...fieldUnlessEmpty('cap_add', host.CapAdd),
    ...fieldUnlessEmpty('cap_drop', host.CapDrop),
    ...fieldUnlessEmpty('security_opt', host.SecurityOpt),
    ...fieldUnlessEmpty('devices', devices),
    ...fieldUnlessEmpty('device_cgroup_rules', host.DeviceCgroupRules),
    ...fieldUnlessEmpty('gpus', host.DeviceRequests.map(gpuOf)),
    ...fieldUnlessEmpty('pid', host.PidMode),
    ...fieldUnlessEmpty('ipc', host.IpcMode === 'private' ? '' : host.IpcMode),
    ...fieldUnlessEmpty('uts', host.UTSMode),
    ...fieldUnlessEmpty('userns_mode', host.UsernsMode),
    // With cgroup v1 this is the default of every container.
    ...fieldUnlessEmpty('cgroup', cgroup === '1' || host.CgroupnsMode === 'private' ? '' : host.CgroupnsMode),
    ...fieldUnlessEmpty('runtime', usualRuntimes.includes(host.Runtime) ? '' : host.Runtime),
    ...fieldUnlessEmpty('read_only', host.ReadonlyRootfs),
    ...(host.Init !== null && { init: host.Init }),
    ...fieldUnlessEmpty('group_add', host.GroupAdd),
  };
}

type Request = FoundContainer['container']['HostConfig']['DeviceRequests'][number];

const gpuOf = ({ Driver, Count, DeviceIDs, Capabilities }: Request): object => ({
  ...fieldUnlessEmpty('driver', Driver),
  ...(DeviceIDs.length ? { device_ids: DeviceIDs } : { count: Count < 0 ? 'all' : Count }),
  capabilities: Capabilities.flat(),
});

/** Returns the CPU limit; 0 without one. */
export function cpusOf({ HostConfig: host }: ContainerFacts): number {
  if (host.NanoCpus) return host.NanoCpus / 1e9;
  return host.CpuQuota > 0 ? host.CpuQuota / (host.CpuPeriod || usualPeriod) : 0;
}

/** Returns the restart policy: `no`, `always`, `on-failure:3`. */
export function restartText({ HostConfig }: ContainerFacts): string {
  const { Name, MaximumRetryCount: count } = HostConfig.RestartPolicy ?? { Name: '', MaximumRetryCount: 0 };
  return Name === 'on-failure' && count ? `on-failure:${count}` : Name || 'no';
}
