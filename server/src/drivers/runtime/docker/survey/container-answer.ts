import { z } from '../../../../lib/zod/index.ts';
import type { WrittenFile } from '../../runtime.ts';
import {
  textAnswer,
  flagAnswer,
  numberAnswer,
  textsAnswer,
  wordsAnswer,
  pairsAnswer,
  keysAnswer,
  optionalAnswer,
  listAnswer,
} from './fields.ts';

const Healthcheck = z.object({
  Test: textsAnswer,
  Interval: numberAnswer,
  Timeout: numberAnswer,
  StartPeriod: numberAnswer,
  StartInterval: numberAnswer,
  Retries: numberAnswer,
});

/** Settings of an image, and of a container that overrides them. */
export const ContainerConfig = z.object({
  User: textAnswer,
  Env: textsAnswer,
  Cmd: wordsAnswer,
  Entrypoint: wordsAnswer,
  WorkingDir: textAnswer,
  Labels: pairsAnswer,
  ExposedPorts: keysAnswer,
  Healthcheck: optionalAnswer(Healthcheck),
  StopSignal: textAnswer,
});
export type ConfigFacts = z.output<typeof ContainerConfig>;

const Binding = z.object({ HostIp: textAnswer, HostPort: textAnswer });

const Device = z.object({ PathOnHost: textAnswer, PathInContainer: textAnswer, CgroupPermissions: textAnswer });

const DeviceRequest = z.object({
  Driver: textAnswer,
  Count: numberAnswer,
  DeviceIDs: textsAnswer,
  Capabilities: listAnswer(textsAnswer),
});

const HostConfig = z.object({
  NetworkMode: textAnswer,
  PortBindings: z
    .record(z.string(), listAnswer(Binding))
    .nullish()
    .transform((value) => value ?? {}),
  PublishAllPorts: flagAnswer,
  RestartPolicy: z.object({ Name: textAnswer, MaximumRetryCount: numberAnswer }).nullish(),
  AutoRemove: flagAnswer,
  Links: textsAnswer,
  LogConfig: z.object({ Type: textAnswer, Config: pairsAnswer }).nullish(),
  Memory: numberAnswer,
  MemoryReservation: numberAnswer,
  MemorySwap: numberAnswer,
  NanoCpus: numberAnswer,
  CpuQuota: numberAnswer,
  CpuPeriod: numberAnswer,
  CpuShares: numberAnswer,
  CpusetCpus: textAnswer,
  PidsLimit: numberAnswer,
  ShmSize: numberAnswer,
  OomKillDisable: flagAnswer,
  OomScoreAdj: numberAnswer,
  BlkioWeight: numberAnswer,
  StorageOpt: pairsAnswer,
  Ulimits: listAnswer(z.object({ Name: z.string(), Soft: z.number(), Hard: z.number() })),
  Sysctls: pairsAnswer,
  Tmpfs: pairsAnswer,
  Mounts: listAnswer(
    z.object({
      Type: textAnswer,
      Target: textAnswer,
      TmpfsOptions: z.object({ SizeBytes: numberAnswer, Mode: numberAnswer }).nullish(),
      VolumeOptions: z.object({ Subpath: textAnswer, NoCopy: flagAnswer }).nullish(),
    }),
  ),
  Dns: textsAnswer,
  DnsOptions: textsAnswer,
  DnsSearch: textsAnswer,
  ExtraHosts: textsAnswer,
  GroupAdd: textsAnswer,
  CapAdd: textsAnswer,
  CapDrop: textsAnswer,
  SecurityOpt: textsAnswer,
  Devices: listAnswer(Device),
  DeviceRequests: listAnswer(DeviceRequest),
  DeviceCgroupRules: textsAnswer,
  Privileged: flagAnswer,
  ReadonlyRootfs: flagAnswer,
  Init: optionalAnswer(z.boolean()),
  PidMode: textAnswer,
  IpcMode: textAnswer,
  UTSMode: textAnswer,
  UsernsMode: textAnswer,
  CgroupnsMode: textAnswer,
  Runtime: textAnswer,
});

/** A container as the engine reports it. */
export const ContainerAnswer = z.object({
  Id: z.string().min(12).max(128),
  Name: textAnswer,
  Created: textAnswer,
  Image: textAnswer,
  State: z.object({
    Status: textAnswer,
    Health: z.object({ Status: textAnswer }).nullish(),
  }),
  Config: ContainerConfig.extend({
    Image: textAnswer,
    Hostname: textAnswer,
    Domainname: textAnswer,
    Tty: flagAnswer,
    OpenStdin: flagAnswer,
    StopTimeout: optionalAnswer(z.number()),
  }),
  HostConfig,
  Mounts: listAnswer(
    z.object({
      Type: textAnswer,
      Name: textAnswer,
      Source: textAnswer,
      Destination: textAnswer,
      Driver: textAnswer,
      RW: flagAnswer,
      Propagation: textAnswer,
    }),
  ),
  NetworkSettings: z.object({
    Networks: z
      .record(
        z.string(),
        z.object({
          Aliases: textsAnswer,
          IPAMConfig: optionalAnswer(z.object({ IPv4Address: textAnswer, IPv6Address: textAnswer })),
        }),
      )
      .nullish()
      .transform((value) => value ?? {}),
  }),
});
export type ContainerFacts = z.output<typeof ContainerAnswer> & {
  /** Set if the entry stands for a service of a Swarm. */
  swarm?: SwarmFacts;
  /** Files outside its volumes; null if they could not be listed, undefined if not looked for. */
  written?: WrittenFile[] | null;
};

/** What only the Swarm knows about a service. */
export interface SwarmFacts {
  /** Null unless the service has a number of replicas: some run once on each node, or once at all. */
  replicas: number | null;
  /** Its container on this machine; null if there is none. */
  taskId: string | null;
  isHere: boolean;
  /** Names of other nodes that run it. */
  elsewhere: string[];
  /** Its secrets and configs. */
  files: SwarmFile[];
}

export interface SwarmFile {
  name: string;
  target: string;
  uid: string;
  gid: string;
  mode: number;
  /** Set for a secret. */
  secretId: string | null;
  /** Null if it is not known or not text. */
  content: string | null;
}
