import type { ContainerFacts } from '../../../drivers/runtime/docker/survey/answers.ts';
import type { EngineSurvey } from '../../../drivers/runtime/docker/survey/survey.ts';
import { lastingFiles, staysInOriginal, wroteOutside } from '../../deployments/port.ts';
import { dependenciesOf } from '../stack/dependencies.ts';
import type { FoundService } from '../stack/found-services.ts';
import { proxyRoutes } from '../stack/proxy-routes.ts';
import { safeText, shownAll } from '../stack/safe-text.ts';
import { swarmWarnings } from '../stack/swarm-verdict.ts';
import { isAnonymous, foreignMounts, volumesOf } from './mounts.ts';
import { fixedAddressesOf, ownNetworksOf, type PlannedNetwork, planNetworks } from './networks.ts';
import { namespaceOwners } from './network-placement.ts';
import { publishedPorts } from './ports.ts';

/** Services adopted together, indexed once. */
export interface AdoptedTogether {
  services: ReadonlySet<string>;
  /** By id and by name. */
  containers: ReadonlySet<string>;
  networks: ReadonlyMap<string, PlannedNetwork>;
}

export function indexAdoptedTogether(services: readonly FoundService[], survey: EngineSurvey): AdoptedTogether {
  const containers = services.flatMap((each) => each.containers);
  return {
    services: new Set(services.map(({ group, service }) => keyOf(group, service))),
    containers: new Set(containers.flatMap(({ Id, Name }) => [Id, Name.replace(/^\//, '')])),
    networks: planNetworks(containers, survey),
  };
}

/** Returns the changes that adopting a service implies, as sentences. */
export function adoptionWarnings(found: FoundService, together: AdoptedTogether): string[] {
  const [container, ...more] = found.containers;
  const { HostConfig: host, State } = container;
  const routes = proxyRoutes(container);
  const differ = more.filter((each) => each.Image !== container.Image);
  const anonymous = volumesOf(container).filter(isAnonymous);
  return [
    ...(State.Status === 'running' ? [] : [`it is not running (${safeText(State.Status, 40)})`]),
    ...(differ.length ? ['its containers run different images; the first one is used'] : []),
    ...(anonymous.length
      ? [`volumes without a name (${anonymous.length}) are lost when the old container is removed with its volumes`]
      : []),
    ...(host.AutoRemove ? ['the engine removes it when it stops (--rm)'] : []),
    ...(host.PublishAllPorts || publishedPorts(container).some(({ published }) => published === null)
      ? ['the engine chooses its published ports anew at each start']
      : []),
    ...(routes.length
      ? [
          `${shownAll(routes.map(({ host: name }) => name)).join(', ')}: what ${routes[0]!.proxy} was told is not carried over; add the names as domains of the project`,
        ]
      : []),
    ...foreignMounts(container).map((mount) => `${safeText(mount)} is a kind of mount that cannot be adopted`),
    ...found.containers.flatMap(writtenWarnings),
    ...swarmWarnings(found),
    ...placeWarnings(found, together),
  ];
}

function writtenWarnings({ Name, written, swarm }: ContainerFacts): string[] {
  if (written === null)
    return ['its files outside volumes could not be listed; the new container starts without them (see docker diff)'];
  const folders = lastingFiles(written ?? []);
  if (!folders.length) return [];
  const wrote = `${safeText(Name.replace(/^\//, ''), 100)} ${safeText(wroteOutside(folders), 250)}`;
  return [
    swarm
      ? `${wrote}. The Swarm deletes such files at the cut-over: copy them with docker cp before, and add a volume`
      : `${wrote}. ${staysInOriginal}`,
  ];
}

function placeWarnings(found: FoundService, { services, containers, networks }: AdoptedTogether): string[] {
  const [container] = found.containers;
  const own = ownNetworksOf(container);
  const isOnBridge = !own.length && ['', 'default', 'bridge'].includes(container.HostConfig.NetworkMode);
  const links = container.HostConfig.Links.map((link) => link.split(':')[0]!.replace(/^\//, ''));
  const missing = dependenciesOf(found).filter(({ service }) => !services.has(keyOf(found.group, service)));
  const shared = own.map((name) => ({ name, others: [], isExternal: false, ...networks.get(name) }));
  return [
    ...fixedAddressesOf(container).map(
      (address) => `its address ${safeText(address, 60)} is not carried over; other services must use its name`,
    ),
    ...(isOnBridge ? ['it moves from the default network to one of the project'] : []),
    ...links
      .filter((name) => !containers.has(name))
      .map((name) => `its link to ${safeText(name, 100)} is dropped, because that container is not adopted`),
    ...namespaceOwners(container)
      .filter((other) => !containers.has(other))
      .map((other) => `it shares a namespace with the container ${safeText(other, 20)}, which is not adopted with it`),
    ...missing.map(({ service }) => `it depends on ${safeText(service, 100)}, which is not adopted with it`),
    ...shared
      .filter(({ others }) => others.length)
      .map(({ name, others, isExternal }) => {
        const names = shownAll(others.slice(0, 5), 100);
        if (!isExternal)
          return `it leaves the network ${safeText(name, 100)}, which only services of the Swarm can join: ${names.join(', ')} and it no longer reach each other`;
        const are = names.length === 1 ? 'is' : 'are';
        return `the network ${safeText(name, 100)} stays as it is: ${names.join(', ')} ${are} on it too`;
      }),
  ];
}

const keyOf = (group: string | null, service: string): string => JSON.stringify([group, service]);
