import type { ImageRelease, ServiceOptions } from '../../runtime.ts';
import { securityOf } from './host-access.ts';

/** More than apps get (see confinement.ts), for databases and the like. */
const mostProcesses = 4096;
const inMemory = 'rw,exec,nosuid,nodev,size=512m,mode=1777';

/** Returns the settings of its process. */
export const processSettings = (options: ServiceOptions): object => ({
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

export function resourceSettings({ memoryBytes, cpus, service: options }: ImageRelease): object {
  return {
    // Without swap: an app over its limit is killed instead of slowing the machine down.
    ...(memoryBytes && { Memory: memoryBytes, MemorySwap: options.memorySwapBytes ?? memoryBytes }),
    ...(options.memoryReservationBytes !== null && { MemoryReservation: options.memoryReservationBytes }),
    ...(cpus && { NanoCpus: Math.round(cpus * 1e9) }),
    ...(options.shmBytes !== null && { ShmSize: options.shmBytes }),
    PidsLimit: options.pids ?? mostProcesses,
    Ulimits: Object.entries(options.ulimits).map(([Name, { soft, hard }]) => ({ Name, Soft: soft, Hard: hard })),
    Sysctls: options.sysctls,
  };
}

/** Returns the confinement, less strict than an app's: the service's file decides. */
export function confinementSettings({ confinement, service: options }: ImageRelease): object {
  const { capabilities } = confinement ?? {};
  const isMounted = (folder: string) => options.mounts.some(({ target }) => target === folder);
  const memory = (confinement?.memory ?? []).filter((folder) => !isMounted(folder));
  return {
    ReadonlyRootfs: confinement?.writableRoot === false,
    Tmpfs: Object.fromEntries(memory.map((folder) => [folder, inMemory])),
    CapDrop: capabilities ? ['ALL'] : (options.capDrop ?? []),
    CapAdd: [...(capabilities ?? []), ...(options.beyond?.capAdd ?? [])],
    SecurityOpt: securityOf(options.beyond),
    GroupAdd: options.groups,
  };
}

/** Returns the DNS settings; a service that shares another one's network has none of its own. */
export const hostLookupSettings = ({ networkMode, ...options }: ServiceOptions): object =>
  networkMode?.kind === 'service'
    ? {}
    : {
        Dns: options.dns,
        DnsOptions: options.dnsOptions,
        DnsSearch: options.dnsSearch,
        ExtraHosts: options.extraHosts.map(({ host, address }) => `${host}:${address}`),
      };
