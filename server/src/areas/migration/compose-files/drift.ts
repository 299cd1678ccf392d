import type { ComposeProject, ComposeService } from '../../../compose/index.ts';
import { splitVariable } from '../document/image.ts';
import type { FoundService } from '../stack/found-services.ts';
import { safeText } from '../stack/safe-text.ts';

/** Returns the differences between the containers and the compose file as sentences. */
export function driftOf(project: ComposeProject, services: readonly FoundService[]): string[] {
  const running = services.filter(({ identity }) => !identity.isOneOff);
  const written = new Map(project.services.map((service) => [service.name, service]));
  const absent = project.services
    .filter(({ name, replicas }) => replicas > 0 && !running.some(({ identity }) => identity.service === name))
    .map(({ name }) => `${safeText(name, 100)} is in the compose file but has no container`);
  return [
    ...absent,
    ...running.flatMap((found) => {
      const service = written.get(found.identity.service);
      return service
        ? differences(service, found)
        : [`${found.service} has a container but is not in the compose file`];
    }),
  ];
}

function differences(service: ComposeService, { service: name, containers }: FoundService): string[] {
  const [{ Config }] = containers;
  const isOther = service.image !== null && !service.build && service.image !== Config.Image;
  const variables = new Map(Config.Env.map(splitVariable));
  const changed = Object.entries(service.environment)
    .filter(([key, value]) => value !== null && variables.get(key) !== value)
    .map(([key]) => key);
  return [
    ...(isOther
      ? [`${name} runs ${safeText(Config.Image, 200)}, but the compose file says ${safeText(service.image!, 200)}`]
      : []),
    ...(containers.length === service.replicas
      ? []
      : [`${name} has ${containers.length} containers, but the compose file says ${service.replicas}`]),
    // Names only: values may be secret.
    ...(changed.length
      ? [`${name} has different variables than the compose file: ${safeText(changed.join(', '), 200)}`]
      : []),
  ];
}
