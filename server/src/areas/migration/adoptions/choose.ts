import { AppError, badRequest, conflict } from '../../../errors.ts';
import { freeName } from '../document/names.ts';
import type { FoundService } from '../stack/found-services.ts';
import { safeText } from '../stack/safe-text.ts';
import { obstacleOf, type AdoptedContainerIds } from '../stack/verdict.ts';

const field = 'serviceNames';
const mostCandidates = 50;

/**
 * Returns the services that a request names, each once. Only the names come from the request; everything else from
 * the scan. The name of a group stands for all of its services that can be adopted.
 */
export function chooseServices(
  names: readonly string[],
  services: readonly FoundService[],
  taken: AdoptedContainerIds,
): FoundService[] {
  const chosen = [...new Set(names.flatMap((name) => servicesNamed(name, services, taken)))];
  const obstacles = chosen.flatMap((found) => {
    const reason = obstacleOf(found, taken);
    return reason === undefined ? [] : [{ found, sentence: `${found.name}: ${reason}` }];
  });
  const managed = obstacles.find(({ found }) => isManaged(found, taken));
  if (managed) throw conflict(managed.sentence);
  if (obstacles.length)
    throw new AppError('bad_request', obstacles[0]!.sentence, {
      details: obstacles.map(({ sentence }) => ({ field, message: sentence })),
    });
  return chosen;
}

const isManaged = ({ isOurs, containers }: FoundService, taken: AdoptedContainerIds): boolean =>
  isOurs || containers.some(({ Id }) => taken.has(Id));

/** Finds a service by its full name, or by its service name if that is unique; otherwise a group. */
function servicesNamed(name: string, services: readonly FoundService[], taken: AdoptedContainerIds): FoundService[] {
  const whole = services.filter((each) => each.name === name);
  const byService = services.filter(({ service }) => service === name);
  // Services that Mooring manages are considered last.
  const others = byService.filter(({ isOurs }) => !isOurs);
  const found = whole.length ? whole : others.length ? others : byService;
  if (found.length === 1) return found;
  if (found.length)
    throw badRequest(
      `${safeText(name)} may be any of ${listed(found.map((each) => `${each.name} (${each.containers[0].Id.slice(0, 12)})`))}; name one as group/service`,
      field,
    );
  const group = services.filter((each) => each.group === name && !each.isOurs);
  const adoptable = group.filter((each) => obstacleOf(each, taken) === undefined);
  // Without any, the reasons are reported.
  if (group.length) return adoptable.length ? adoptable : group;
  throw badRequest(
    `there is no service or group ${safeText(name)} on this server; there are ${listed(services.map((each) => each.name))}`,
    field,
  );
}

/** Returns a warning for each service of the same groups that is not adopted. */
export function leftOutOf(
  chosen: readonly FoundService[],
  services: readonly FoundService[],
  taken: AdoptedContainerIds,
): string[] {
  const groups = new Set(chosen.flatMap(({ group }) => group ?? []));
  return services
    .filter((each) => each.group !== null && groups.has(each.group) && !each.isOurs && !chosen.includes(each))
    .map((each) => `${each.name} is not adopted: ${obstacleOf(each, taken) ?? 'it stays outside the project'}`);
}

const listed = (names: readonly string[]): string =>
  names.slice(0, mostCandidates).join(', ') + (names.length > mostCandidates ? ', and more' : '') || 'none';

/** Returns a name in the project for each service, prefixed with the group if two have the same. */
export function serviceKeysFor(chosen: readonly FoundService[]): string[] {
  const taken = new Set<string>();
  const isShared = ({ service }: FoundService) =>
    chosen.filter((each) => each.service.toLowerCase() === service.toLowerCase()).length > 1;
  return chosen.map((found) =>
    freeName(isShared(found) && found.group !== null ? `${found.group}-${found.service}` : found.service, taken),
  );
}
