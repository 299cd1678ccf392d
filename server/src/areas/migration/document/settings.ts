import type { ContainerFacts } from '../../../drivers/runtime/docker/survey/answers.ts';
import type { ServiceFields, Written } from './parts.ts';
import { field } from './parts.ts';

const usualShmBytes = 64 * 1024 * 1024;
const usualPeriod = 100_000;
const usualRuntimes = ['', 'runc', 'io.containerd.runc.v2'];

/** What it may use of the machine. */
export function limitFields({ container }: Written): ServiceFields {
  const { HostConfig: host } = container;
  // Without a word about swap an engine gives as much again.
  const swap = host.Memory ? host.MemorySwap || 2 * host.Memory : 0;
  const ulimits = host.Ulimits.map(({ Name, Soft, Hard }) => [Name, { soft: Soft, hard: Hard }]);
  return {
    ...field('mem_limit', host.Memory),
    ...field('memswap_limit', swap),
    ...field('mem_reservation', host.MemoryReservation),
    ...field('cpus', cpusOf(container)),
    ...field('pids_limit', Math.max(0, host.PidsLimit)),
    ...field('shm_size', host.ShmSize === usualShmBytes ? 0 : host.ShmSize),
    ...field('ulimits', Object.fromEntries(ulimits) as object),
    ...field('sysctls', host.Sysctls),
    // Those below are not carried out: they stand there so that whoever reads the project is told.
    ...field('cpu_shares', host.CpuShares),
    ...field('cpuset', host.CpusetCpus),
    ...field('oom_kill_disable', host.OomKillDisable),
    ...field('oom_score_adj', host.OomScoreAdj),
    ...field('blkio_config', host.BlkioWeight && { weight: host.BlkioWeight }),
    ...field('storage_opt', host.StorageOpt),
    ...loggingFields(host.LogConfig),
  };
}

function loggingFields(log: Written['container']['HostConfig']['LogConfig']): ServiceFields {
  if (!log || (['', 'json-file', 'local'].includes(log.Type) && !Object.keys(log.Config).length)) return {};
  return { logging: { ...field('driver', log.Type), ...field('options', log.Config) } };
}

/** What stands between it and the machine, and what was opened. */
export function isolationFields({ container: { HostConfig: host }, cgroup }: Written): ServiceFields {
  const devices = host.Devices.map(({ PathOnHost, PathInContainer, CgroupPermissions }) =>
    [PathOnHost, PathInContainer || PathOnHost, CgroupPermissions || 'rwm'].join(':'),
  );
  return {
    ...field('privileged', host.Privileged),
    ...field('cap_add', host.CapAdd),
    ...field('cap_drop', host.CapDrop),
    ...field('security_opt', host.SecurityOpt),
    ...field('devices', devices),
    ...field('device_cgroup_rules', host.DeviceCgroupRules),
    ...field('gpus', host.DeviceRequests.map(gpuOf)),
    ...field('pid', host.PidMode),
    ...field('ipc', host.IpcMode === 'private' ? '' : host.IpcMode),
    ...field('uts', host.UTSMode),
    ...field('userns_mode', host.UsernsMode),
    // With the first kind of cgroups that is what every container has.
    ...field('cgroup', cgroup === '1' || host.CgroupnsMode === 'private' ? '' : host.CgroupnsMode),
    ...field('runtime', usualRuntimes.includes(host.Runtime) ? '' : host.Runtime),
    ...field('read_only', host.ReadonlyRootfs),
    ...(host.Init !== null && { init: host.Init }),
    ...field('group_add', host.GroupAdd),
  };
}

type Request = Written['container']['HostConfig']['DeviceRequests'][number];

const gpuOf = ({ Driver, Count, DeviceIDs, Capabilities }: Request): object => ({
  ...field('driver', Driver),
  ...(DeviceIDs.length ? { device_ids: DeviceIDs } : { count: Count < 0 ? 'all' : Count }),
  capabilities: Capabilities.flat(),
});

/** How many processors; 0 without a limit. */
export function cpusOf({ HostConfig: host }: ContainerFacts): number {
  if (host.NanoCpus) return host.NanoCpus / 1e9;
  return host.CpuQuota > 0 ? host.CpuQuota / (host.CpuPeriod || usualPeriod) : 0;
}

/** What happens when it ends: `no`, `always`, `on-failure:3`. */
export function restartOf({ HostConfig }: ContainerFacts): string {
  const { Name, MaximumRetryCount: count } = HostConfig.RestartPolicy ?? { Name: '', MaximumRetryCount: 0 };
  return Name === 'on-failure' && count ? `on-failure:${count}` : Name || 'no';
}
