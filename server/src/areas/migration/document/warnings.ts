import type { EngineSurvey } from '../../../drivers/runtime/docker/survey/survey.ts';
import { dependenciesOf } from '../stack/dependencies.ts';
import type { FoundService } from '../stack/found-services.ts';
import { proxyRoutes } from '../stack/proxy-routes.ts';
import { shown, shownAll } from '../stack/shown.ts';
import { isAnonymous, foreignMounts, volumesOf } from './mounts.ts';
import { ownNetworksOf, planNetworks } from './networks.ts';
import { publishedPorts } from './ports.ts';

/** What is not as it was when a service has been taken over, a sentence each. `together` is taken over with it. */
export function carryWarnings(found: FoundService, together: readonly FoundService[], survey: EngineSurvey): string[] {
  const [container, ...more] = found.containers;
  const { HostConfig: host, State } = container;
  const routes = proxyRoutes(container);
  const differ = more.filter((each) => each.Image !== container.Image);
  const anonymous = volumesOf(container).filter(isAnonymous);
  return [
    ...(State.Status === 'running' ? [] : [`it does not run now (${shown(State.Status, 40)})`]),
    ...(differ.length ? ['its containers run different images: the one of the first counts'] : []),
    ...(anonymous.length
      ? [
          `${anonymous.length} of its volumes has no name, and goes when somebody removes the container with its volumes`,
        ]
      : []),
    ...(host.AutoRemove ? ['the engine removes it as soon as it ends (--rm)'] : []),
    ...(host.PublishAllPorts || publishedPorts(container).some(({ published }) => published === null)
      ? ['the engine chooses the ports that it publishes, at each start others']
      : []),
    ...(routes.length
      ? [
          `${shownAll(routes.map(({ host: name }) => name)).join(', ')}: what ${routes[0]!.proxy} was told is not carried over; add the names as domains of the project`,
        ]
      : []),
    ...foreignMounts(container).map((mount) => `${shown(mount)} is a mount that is not carried over`),
    ...placeWarnings(found, together, survey),
  ];
}

function placeWarnings(found: FoundService, together: readonly FoundService[], survey: EngineSurvey): string[] {
  const [container] = found.containers;
  const chosen = together.flatMap(({ containers }) => containers);
  const names = new Set(chosen.map(({ Name }) => Name.replace(/^\//, '')));
  const isOnBridge =
    !ownNetworksOf(container).length && ['', 'default', 'bridge'].includes(container.HostConfig.NetworkMode);
  const links = container.HostConfig.Links.map((link) => link.split(':')[0]!.replace(/^\//, ''));
  const missing = dependenciesOf(found).filter(
    ({ service }) => !together.some((each) => each.group === found.group && each.service === service),
  );
  const shared = [...planNetworks(chosen, survey)].filter(
    ([name, { isExternal }]) => isExternal && name in container.NetworkSettings.Networks,
  );
  return [
    ...(isOnBridge ? ["it leaves the engine's default network for one of the project's own"] : []),
    ...links
      .filter((name) => !names.has(name))
      .map((name) => `its link to ${shown(name, 100)} is not carried over, because that one is not taken over`),
    ...missing.map(({ service }) => `it depends on ${shown(service, 100)}, which is not taken over with it`),
    ...shared.flatMap(([name, { others }]) =>
      others.length
        ? [
            `the network ${shown(name, 100)} stays as it is: ${shownAll(others.slice(0, 5), 100).join(', ')} are on it too`,
          ]
        : [],
    ),
  ];
}
