import { z } from 'zod';
import type { WrittenFile } from '../../runtime.ts';
import { text, flag, number, texts, words, pairs, keys, optional, listField } from './fields.ts';

const Healthcheck = z.object({
  Test: texts,
  Interval: number,
  Timeout: number,
  StartPeriod: number,
  StartInterval: number,
  Retries: number,
});

/** Settings of an image, and of a container that overrides them. */
export const ContainerConfig = z.object({
  User: text,
  Env: texts,
  Cmd: words,
  Entrypoint: words,
  WorkingDir: text,
  Labels: pairs,
  ExposedPorts: keys,
  Healthcheck: optional(Healthcheck),
  StopSignal: text,
});
export type ConfigFacts = z.output<typeof ContainerConfig>;

const Binding = z.object({ HostIp: text, HostPort: text });

const Device = z.object({ PathOnHost: text, PathInContainer: text, CgroupPermissions: text });

const DeviceRequest = z.object({ Driver: text, Count: number, DeviceIDs: texts, Capabilities: listField(texts) });

const HostConfig = z.object({
  NetworkMode: text,
  PortBindings: z
    .record(z.string(), listField(Binding))
    .nullish()
    .transform((value) => value ?? {}),
  PublishAllPorts: flag,
  RestartPolicy: z.object({ Name: text, MaximumRetryCount: number }).nullish(),
  AutoRemove: flag,
  Links: texts,
  LogConfig: z.object({ Type: text, Config: pairs }).nullish(),
  Memory: number,
  MemoryReservation: number,
  MemorySwap: number,
  NanoCpus: number,
  CpuQuota: number,
  CpuPeriod: number,
  CpuShares: number,
  CpusetCpus: text,
  PidsLimit: number,
  ShmSize: number,
  OomKillDisable: flag,
  OomScoreAdj: number,
  BlkioWeight: number,
  StorageOpt: pairs,
  Ulimits: listField(z.object({ Name: z.string(), Soft: z.number(), Hard: z.number() })),
  Sysctls: pairs,
  Tmpfs: pairs,
  Mounts: listField(
    z.object({
      Type: text,
      Target: text,
      TmpfsOptions: z.object({ SizeBytes: number, Mode: number }).nullish(),
      VolumeOptions: z.object({ Subpath: text, NoCopy: flag }).nullish(),
    }),
  ),
  Dns: texts,
  DnsOptions: texts,
  DnsSearch: texts,
  ExtraHosts: texts,
  GroupAdd: texts,
  CapAdd: texts,
  CapDrop: texts,
  SecurityOpt: texts,
  Devices: listField(Device),
  DeviceRequests: listField(DeviceRequest),
  DeviceCgroupRules: texts,
  Privileged: flag,
  ReadonlyRootfs: flag,
  Init: optional(z.boolean()),
  PidMode: text,
  IpcMode: text,
  UTSMode: text,
  UsernsMode: text,
  CgroupnsMode: text,
  Runtime: text,
});

/** A container as the engine reports it. */
export const Container = z.object({
  Id: z.string().min(12).max(128),
  Name: text,
  Created: text,
  Image: text,
  State: z.object({
    Status: text,
    Health: z.object({ Status: text }).nullish(),
  }),
  Config: ContainerConfig.extend({
    Image: text,
    Hostname: text,
    Domainname: text,
    Tty: flag,
    OpenStdin: flag,
    StopTimeout: optional(z.number()),
  }),
  HostConfig,
  Mounts: listField(
    z.object({
      Type: text,
      Name: text,
      Source: text,
      Destination: text,
      Driver: text,
      RW: flag,
      Propagation: text,
    }),
  ),
  NetworkSettings: z.object({
    Networks: z
      .record(
        z.string(),
        z.object({ Aliases: texts, IPAMConfig: optional(z.object({ IPv4Address: text, IPv6Address: text })) }),
      )
      .nullish()
      .transform((value) => value ?? {}),
  }),
});
export type ContainerFacts = z.output<typeof Container> & {
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
