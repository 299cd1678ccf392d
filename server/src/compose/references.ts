import type { ComposeProject } from './project.ts';
import type { ComposeReport } from './problems.ts';
import type { ComposeService } from './service.ts';

/** Checks that referenced volumes, networks, configs and secrets exist, and that there is something to run. */
export function checkReferences(project: Omit<ComposeProject, 'warnings'>, report: ComposeReport): void {
  const named = (list: { name: string }[]) => new Set(list.map(({ name }) => name));
  const volumes = named(project.volumes);
  const networks = named(project.networks);
  const configs = named(project.configs);
  const secrets = named(project.secrets);
  for (const service of project.services) {
    const { name, places } = service;
    const at = (key: string) => places[key] ?? service.at;
    if (!service.image && !service.build && !service.app)
      report.error(service.at, `services.${name}: has neither an image nor a build`);
    for (const mount of service.mounts)
      if (mount.type === 'volume' && mount.volume !== null && !volumes.has(mount.volume))
        report.error(mount.at, `services.${name}.volumes: there is no volume ${mount.volume} under volumes`);
    for (const network of service.networks)
      if (!networks.has(network.name))
        report.error(at('networks'), `services.${name}.networks: there is no network ${network.name} under networks`);
    for (const use of service.configs)
      if (!configs.has(use.source))
        report.error(use.at, `services.${name}.configs: there is no ${use.source} under configs`);
    for (const use of [...service.secrets, ...(service.build?.secrets ?? [])])
      if (!secrets.has(use.source))
        report.error(use.at, `services.${name}.secrets: there is no ${use.source} under secrets`);
    checkReplicas(service, report);
    checkTargets(service, report);
  }
  checkContainerNames(project.services, report);
}

/** Of two mounts at one path the later one wins, but a tmpfs must not share its path. */
function checkTargets({ name, tmpfs, mounts, places, at }: ComposeService, report: ComposeReport): void {
  const taken = new Set<string>();
  for (const target of tmpfs.map((text) => text.split(':', 1)[0]!)) {
    if (taken.has(target))
      report.error(places['tmpfs'] ?? at, `services.${name}.tmpfs: ${target.slice(0, 100)} is mounted twice`);
    taken.add(target);
  }
  for (const mount of mounts)
    if (taken.has(mount.target))
      report.error(mount.at, `services.${name}.volumes: at ${mount.target.slice(0, 100)} there is already a tmpfs`);
}

/** Container names must be unique. */
function checkContainerNames(services: readonly ComposeService[], report: ComposeReport): void {
  const owners = new Map<string, string>();
  for (const { name, containerName, replicas, places, at } of services) {
    if (containerName === null) continue;
    const place = places['container_name'] ?? at;
    const owner = owners.get(containerName);
    if (owner !== undefined) report.error(place, `services.${name}.container_name: ${owner} already has this name`);
    if (replicas > 1) report.error(place, `services.${name}.container_name: ${replicas} replicas cannot have one name`);
    owners.set(containerName, name);
  }
}

/** A fixed host port can be used once only. */
function checkReplicas({ name, replicas, ports, places, at }: ComposeService, report: ComposeReport): void {
  const fixed = ports.find(
    ({ published }) => published && published.from !== 0 && published.to - published.from + 1 < replicas,
  );
  if (fixed)
    report.warn(
      fixed.at,
      `services.${name}.ports: only one of ${replicas} replicas can have port ${fixed.published!.from} of the machine`,
    );
  if (replicas > 100)
    report.error(places['scale'] ?? places['deploy'] ?? at, `services.${name}: more than 100 replicas`);
}
