import type { ComposeProject } from '../../src/compose/project.ts';
import type { ComposeBuild, ComposeMount, ComposeService, FileUse, PathInSource } from '../../src/compose/service.ts';

// Converts our model to the form of `docker compose config`, for comparison. Contains only what both sides report;
// golden.ts normalizes Docker Compose's side.

export type Json = Record<string, unknown>;

/** Drops null, false, undefined and empty values: the two sides omit different ones of these. */
export const filled = (json: Json): Json =>
  Object.fromEntries(
    Object.entries(json).filter(
      ([, value]) =>
        value !== null &&
        value !== undefined &&
        value !== false &&
        !(typeof value === 'object' && !Object.keys(value).length),
    ),
  );

const pathText = ({ path, isInside }: PathInSource) => (isInside ? `<source>${path && `/${path}`}` : path);
const hosts = (list: { host: string; address: string }[]) =>
  list.map(({ host, address }) => `${host}=${address}`).toSorted();
const mode = (value: number | null) => (value === null ? null : `0${value.toString(8)}`);
const uses = (list: FileUse[]) =>
  list.map(({ source, target, uid, gid, mode: bits }) => filled({ source, target, uid, gid, mode: mode(bits) }));

export function projectAsConfig(project: ComposeProject): Json {
  const named = <T extends { name: string }>(list: T[], show: (item: T) => Json) =>
    Object.fromEntries(list.map((item) => [item.name, filled(show(item))]));
  return {
    name: project.name,
    services: Object.fromEntries(project.services.map((service) => [service.name, serviceAsConfig(service)])),
    networks: named(project.networks, ({ externalName, driver, isInternal, labels, subnet }) => ({
      name: externalName,
      external: externalName !== null,
      driver,
      internal: isInternal,
      labels,
      ipam: subnet && {
        config: [filled({ subnet: subnet.subnet, gateway: subnet.gateway, ip_range: subnet.range })],
      },
    })),
    volumes: named(project.volumes, ({ externalName, driver, driverOptions, labels }) => ({
      name: externalName,
      external: externalName !== null,
      driver,
      driver_opts: driverOptions,
      labels,
    })),
    configs: named(project.configs, ({ file, content }) => ({ file: file && pathText(file), content })),
    secrets: named(project.secrets, ({ file, content }) => ({ file: file && pathText(file), content })),
  };
}

function serviceAsConfig(service: ComposeService): Json {
  const { limits, restart, isolation } = service;
  return {
    ...(service.command && { command: service.command }),
    ...(service.entrypoint && { entrypoint: service.entrypoint }),
    ...filled({
      image: service.image,
      build: service.build && buildAsConfig(service.build),
      platform: service.platform,
      pull_policy: service.pullPolicy === 'missing' ? null : service.pullPolicy,
      environment: service.environment,
      labels: service.labels,
      ports: service.ports.map((port) => filled({ ...portAsConfig(port) })),
      expose: service.expose,
      volumes: service.mounts.map((mount) => filled(mountAsConfig(mount))),
      tmpfs: service.tmpfs,
      volumes_from: service.volumesFrom.map((from) => `${from.service}${from.isReadOnly ? ':ro' : ''}`),
      configs: uses(service.configs),
      secrets: uses(service.secrets),
      networks: Object.fromEntries(
        service.networks.map(({ name, aliases, address }) => [name, filled({ aliases, ipv4_address: address })]),
      ),
      network_mode: service.networkMode,
      links: service.links.map(({ service: name, alias }) => (name === alias ? name : `${name}:${alias}`)),
      external_links: service.externalLinks,
      depends_on: Object.fromEntries(
        service.dependsOn.map(({ service: name, condition, isRequired, isRestarted }) => [
          name,
          { condition, required: isRequired, restart: isRestarted },
        ]),
      ),
      healthcheck: service.healthcheck && healthAsConfig(service.healthcheck),
      ...namesAsConfig(service),
      ...processAsConfig(service),
      cpus: limits.cpus,
      mem_limit: limits.memoryBytes,
      mem_reservation: limits.memoryReservationBytes,
      memswap_limit: limits.memorySwapBytes,
      pids_limit: limits.pids,
      scale: service.replicas === 1 ? null : service.replicas,
      restart: restart.isGiven ? `${restart.policy}${restart.maxAttempts ? `:${restart.maxAttempts}` : ''}` : null,
      privileged: isolation.isPrivileged,
      cap_add: isolation.capAdd,
      cap_drop: isolation.capDrop,
      security_opt: isolation.securityOptions,
      devices: isolation.devices,
      device_cgroup_rules: isolation.deviceCgroupRules,
      gpus: isolation.gpus.length + isolation.reservedDevices.length > 0,
      pid: isolation.pid,
      ipc: isolation.ipc,
      userns_mode: isolation.userns,
      uts: isolation.uts,
      cgroup: isolation.cgroup,
      cgroup_parent: isolation.cgroupParent,
      runtime: isolation.runtime,
    }),
  };
}

const namesAsConfig = (service: ComposeService) => ({
  container_name: service.containerName,
  hostname: service.hostname,
  domainname: service.domainName,
  dns: service.dns,
  dns_opt: service.dnsOptions,
  dns_search: service.dnsSearch,
  extra_hosts: hosts(service.extraHosts),
});

const processAsConfig = (service: ComposeService) => ({
  user: service.user,
  group_add: service.groups,
  working_dir: service.workingDirectory,
  init: service.hasInit,
  read_only: service.isReadOnly,
  tty: service.hasTty,
  stdin_open: service.hasOpenInput,
  stop_signal: service.stopSignal,
  stop_grace_period: service.stopGraceMs,
  shm_size: service.shmBytes,
  ulimits: service.ulimits,
  sysctls: service.sysctls,
});

const portAsConfig = ({ target, published, hostIp, protocol }: ComposeService['ports'][number]) => ({
  target,
  published: published && (published.from === published.to ? `${published.from}` : `${published.from}-${published.to}`),
  host_ip: hostIp,
  protocol,
});

function mountAsConfig(mount: ComposeMount): Json {
  const base = { type: mount.type, target: mount.target, read_only: mount.isReadOnly };
  if (mount.type === 'bind') {
    const bind = filled({ propagation: mount.propagation, create_host_path: mount.isCreated });
    return { ...base, source: pathText(mount.source), bind };
  }
  if (mount.type === 'tmpfs') return { ...base, tmpfs: filled({ size: mount.sizeBytes, mode: mount.mode }) };
  return { ...base, source: mount.volume, volume: filled({ nocopy: !mount.isCopied, subpath: mount.subpath }) };
}

const healthAsConfig = (check: NonNullable<ComposeService['healthcheck']>) =>
  filled({
    disable: check.isDisabled,
    test: check.test,
    interval: check.intervalMs,
    timeout: check.timeoutMs,
    start_period: check.startPeriodMs,
    start_interval: check.startIntervalMs,
    retries: check.retries,
  });

const buildAsConfig = (build: ComposeBuild): Json =>
  filled({
    context: build.repository?.written ?? pathText(build.context),
    dockerfile: build.dockerfile,
    dockerfile_inline: build.dockerfileInline,
    args: filled(build.args),
    target: build.target,
    additional_contexts: Object.fromEntries(
      build.additionalContexts.map(({ name, from }) => [name, 'reference' in from ? from.reference : pathText(from)]),
    ),
    secrets: build.secrets.map(({ source, target }) => ({ source, target })),
    labels: build.labels,
    network: build.network,
    extra_hosts: hosts(build.extraHosts),
    shm_size: build.shmBytes,
    platforms: build.platforms,
    no_cache: build.isWithoutCache,
    pull: build.isPulling,
    privileged: build.isPrivileged,
    entitlements: build.entitlements,
  });
