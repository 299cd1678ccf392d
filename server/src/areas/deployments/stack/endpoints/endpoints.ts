import type { ComposeService } from '../../../../compose/index.ts';
import type { DeploymentConfig } from '../../model/model.ts';
import type { EndpointCandidate, ServiceImage } from '../../model/stack.ts';
import { hasNoPublicService } from '../../../projects/port.ts';
import { mainServiceNames } from './candidates.ts';
import { isDatabase } from './image-kinds.ts';
import { isHttpPort, speaksNoHttp, webPort } from './web-ports.ts';

/** A service that the edge routes to. */
export interface ServiceEndpoint {
  service: string;
  host: string;
  /** The port inside its container; null: the image's port. */
  port: number | null;
  isPrimary: boolean;
  /** Neither the settings nor the source say that it is public. */
  isGuess: boolean;
}

export type EndpointService = Pick<ComposeService, 'name' | 'image' | 'ports' | 'expose' | 'app'>;
type Wanted = NonNullable<DeploymentConfig['publicEndpoints']>;

type Where = {
  /** The project's label below `baseDomain`. */
  label: string;
  baseDomain: string;
  /** For a stack in which no service publishes a port. */
  candidates?: readonly EndpointCandidate[] | undefined;
  /** Images by service, as far as they are known. */
  images?: ReadonlyMap<string, Pick<ServiceImage, 'port' | 'ports'>>;
};

/**
 * Returns the public services and their hosts: those that the settings name, or else those that publish a port, or
 * else those that the source means to be public, or else the best candidate. The settings can also say that there is
 * none.
 */
export function endpointsOf(
  services: readonly EndpointService[],
  wanted: Wanted,
  { label, baseDomain, candidates = [], images = new Map() }: Where,
): ServiceEndpoint[] {
  if (hasNoPublicService(wanted)) return [];
  const named = wanted.flatMap(({ service, port }) => (service === undefined ? [] : [{ service, port: port ?? null }]));
  const chosen = named.flatMap(({ service }) => services.filter(({ name }) => name === service));
  const published = services.filter(isReached);
  const guessed = publicAmong(candidates, images).flatMap(({ service }) =>
    services.filter(({ name }) => name === service),
  );
  const reached = [[...new Set(chosen)], published, guessed].find((each) => each.length) ?? [];
  const primary = reached === published ? primaryOf(reached) : reached[0];
  const unnamed = wanted.find(({ service, port }) => service === undefined && port !== undefined)?.port ?? null;
  const names = dnsNames(services.map(({ name }) => name));
  return reached.map((service) => {
    const { name } = service;
    const isPrimary = service === primary;
    const said = named.find((each) => each.service === name && each.port !== null)?.port ?? null;
    return {
      service: name,
      host: `${isPrimary ? '' : `${names.get(name)!}.`}${label}.${baseDomain}`,
      port: said ?? (isPrimary ? unnamed : null) ?? service.app?.port ?? portOf(service, candidates, images.get(name)),
      isPrimary,
      isGuess: reached === guessed && candidates.every((each) => each.service !== name || !each.isMeant),
    };
  });
}

/** Without a candidate whose port is known or may become known, nothing is public: it may be a bot. */
function publicAmong(
  candidates: readonly EndpointCandidate[],
  images: NonNullable<Where['images']>,
): readonly EndpointCandidate[] {
  const meant = candidates.filter(({ isMeant }) => isMeant);
  if (meant.length) return meant;
  const listens = (candidate: EndpointCandidate) => {
    const image = images.get(candidate.service);
    return (candidate.port ?? candidate.usual) !== null || !image || imagePort(image) !== null;
  };
  return candidates.filter(listens).slice(0, 1);
}

type ImagePorts = Pick<ServiceImage, 'port' | 'ports'>;

/** The usual port of an image counts unless the image itself has another one. */
function portOf(
  service: EndpointService,
  candidates: readonly EndpointCandidate[],
  image: ImagePorts | undefined,
): number | null {
  const candidate = candidates.find((each) => each.service === service.name);
  if (!candidate || isReached(service)) return tcpPort(service);
  if (candidate.port !== null || !image) return candidate.port;
  const own = imagePort(image);
  return own === null || image.ports.includes(candidate.usual ?? 0) ? candidate.usual : own;
}

const imagePort = ({ port, ports }: Pick<ServiceImage, 'port' | 'ports'>): number | null => port ?? webPort(ports);

/** Returns the port to health-check: of the endpoint, the file or the image; null if none is known. */
export function listeningPortOf(
  service: Pick<EndpointService, 'ports' | 'expose' | 'app'>,
  image: Pick<ServiceImage, 'port' | 'ports'>,
  endpointPort: number | null,
): number | null {
  const exposed = service.expose.map((text) => /^(\d+)(?:-\d+)?(?:\/tcp)?$/.exec(text)?.[1]).find(Boolean);
  const said = endpointPort ?? service.app?.port ?? tcpPort(service) ?? (exposed ? Number(exposed) : null);
  return said ?? imagePort(image) ?? image.ports[0] ?? null;
}

/** The edge speaks HTTP, so the first port that may be HTTP wins. */
function tcpPort({ ports }: Pick<EndpointService, 'ports'>): number | null {
  const targets = ports.filter(({ protocol }) => protocol === 'tcp').map(({ target }) => target);
  return ports.find(({ isWeb }) => isWeb)?.target ?? targets.find((port) => !speaksNoHttp(port)) ?? targets[0] ?? null;
}

function isReached(service: EndpointService): boolean {
  if (service.app ?? service.ports.some(({ isWeb }) => isWeb)) return true;
  const port = tcpPort(service);
  return port !== null && !isDatabase(service.image) && (port === 443 || !speaksNoHttp(port));
}

function primaryOf(reached: readonly EndpointService[]): EndpointService | undefined {
  const byName = mainServiceNames
    .map((name) => reached.find((service) => service.name.toLowerCase() === name))
    .find(Boolean);
  if (byName) return byName;
  return reached.find((service) => service.app || isHttpPort(tcpPort(service))) ?? reached[0];
}

/** Gives each service a unique DNS label; a duplicate gets a number. */
function dnsNames(services: readonly string[]): Map<string, string> {
  const names = new Map<string, string>();
  const taken = new Set<string>();
  for (const service of services) {
    const fit = dnsName(service);
    let name = fit;
    for (let i = 2; taken.has(name); i++) name = `${fit.slice(0, 58)}-${i}`;
    taken.add(name);
    names.set(service, name);
  }
  return names;
}

const dnsName = (service: string): string =>
  service
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 63)
    .replaceAll(/^-+|-+$/g, '') || 'service';
