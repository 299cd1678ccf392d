import { posix } from 'node:path';
import type { ComposeProject, ComposeService } from '../../../../compose/index.ts';
import type { SourceTree } from '../../../../detect/detect.ts';
import { type EndpointCandidate, isAwaited } from '../../model/stack.ts';
import { type DockerfilePorts, dockerfilePorts } from './dockerfile-ports.ts';
import { isDatabase, isFastCgi, isHelper, isProxy, isSupport, usualPort } from './image-kinds.ts';
import { publicHint } from './public-hints.ts';
import { isHttpPort, parsePort, webPort } from './web-ports.ts';

/** Typical names of the main service, by precedence. */
export const mainServiceNames = [
  'web',
  'app',
  'frontend',
  'www',
  'site',
  'ui',
  'proxy',
  'nginx',
  'caddy',
  'traefik',
  'gateway',
];

/** Parts of names of services that nobody opens in a browser. */
const hidden = new Set(
  `worker workers queue cron scheduler beat celery sidekiq horizon consumer migrate migration migrations migrator init
  setup create configurator seed seeder bootstrap backup backups exporter agent sidecar runner job jobs bot db database cache broker
  updater watchtower permissions certs rotation test tests`.split(/\s+/),
);
const frontParts = new Set([
  ...mainServiceNames,
  'front',
  'client',
  'dashboard',
  'console',
  'webapp',
  'webserver',
  'ingress',
]);
/** Parts of names of services behind a frontend. */
const behind = new Set(['api', 'backend', 'server', 'admin', 'docs']);
/** Parts of names of services that others use. */
const support = new Set(
  'machine learning ml ai search mail smtp minio storage sandbox chrome browser probe websocket realtime'.split(' '),
);

/** Returns the services that can be public, the best first. Databases, workers and one-off services are not. */
export async function candidatesOf(
  { name, services }: Pick<ComposeProject, 'name' | 'services'>,
  tree: SourceTree,
): Promise<EndpointCandidate[]> {
  const possible: { service: ComposeService; candidate: EndpointCandidate }[] = [];
  for (const service of services) {
    if (!mayBePublic(service, services)) continue;
    const built = await builtFrom(service, tree);
    if (isFastCgi(built?.base ?? service.image)) continue;
    const candidate = candidateOf(service, built);
    const isKnown = candidate.isMeant || candidate.port !== null;
    if (!candidate.isMeant && isHelper(service.image ?? built?.base ?? null)) continue;
    if (isKnown || !hasHiddenName(service)) possible.push({ service, candidate });
  }
  // A service whose name says that it is not for visitors is one only if there is no other.
  const usual = possible.filter(({ service, candidate }) => candidate.isMeant || !hasHiddenName(service));
  const chosen = usual.length ? usual : possible;
  // A worker that waits for the app does not stand in front of it.
  const users = chosen.map(({ service }) => service).filter((service) => !hasHiddenName(service));
  const ranked = chosen.map((each) => ({ ...each, rank: rankOf(each.service, each.candidate, { name, users }) }));
  return ranked.toSorted((one, other) => other.rank - one.rank).map(({ candidate }) => candidate);
}

function mayBePublic(service: ComposeService, all: readonly ComposeService[]): boolean {
  const isHint = publicHint(service) !== undefined;
  if (service.networkMode !== null && service.networkMode !== 'bridge') return false;
  return isHint || (!isDatabase(service.image) && !isAwaited(all, service.name));
}

async function builtFrom({ build }: ComposeService, tree: SourceTree): Promise<DockerfilePorts | undefined> {
  if (!build) return undefined;
  const { context, dockerfile, dockerfileInline, target } = build;
  const path = posix.join(context.path, dockerfile ?? 'Dockerfile');
  const text = dockerfileInline ?? (context.isInside && !path.startsWith('..') ? await tree.read(path) : undefined);
  return text === undefined ? undefined : dockerfilePorts(text, target);
}

function candidateOf(service: ComposeService, built: DockerfilePorts | undefined): EndpointCandidate {
  const hint = publicHint(service);
  const found = hint?.port ? undefined : portOf(service, built);
  const usual = usualPort(built?.base ?? service.image);
  const port = hint?.port ?? found?.port ?? null;
  const known =
    found?.reason ?? (usual === null ? 'its image may expose a port' : `its image usually listens on ${usual}`);
  return {
    service: service.name,
    port,
    usual,
    isMeant: hint !== undefined,
    reason: hint?.reason ?? known,
  };
}

type Found = { port: number; reason: string };

/** Looks for a port that speaks HTTP, the most reliable place first. */
function portOf(
  { ports, expose, healthcheck, environment, command }: ComposeService,
  built?: DockerfilePorts,
): Found | undefined {
  const published = ports.filter(({ protocol }) => protocol === 'tcp').map(({ target }) => target);
  const places: [number | null, string][] = [
    [webPort(published), 'it publishes'],
    [webPort(expose.flatMap((text) => parsePort(/^(\d+)(-\d+)?(\/tcp)?$/.exec(text)?.[1]) ?? [])), 'it exposes'],
    [portInUrl(healthcheck?.test ?? []), 'its health check requests'],
    [parsePort(environment['PORT']), 'its variable PORT names'],
    [webPort(built?.ports ?? []), 'its Dockerfile exposes'],
    [parsePort(/(?:^| )--port[= ](\d+)\b/.exec(command?.join(' ').slice(0, 10_000) ?? '')?.[1]), 'its command names'],
  ];
  const [found] = places.flatMap(([port, what]) => (port === null ? [] : [{ port, reason: `${what} port ${port}` }]));
  return found;
}

/** `curl -f http://localhost:3000/health` -> 3000. */
function portInUrl(test: readonly string[]): number | null {
  const found = /\bhttp:\/\/(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1?\])(?::(\d+))?\b/.exec(test.join(' '));
  return found && parsePort(found[1] ?? '80');
}

const partsOf = ({ name }: ComposeService): string[] => name.toLowerCase().split(/[^a-z0-9]+/);

const hasHiddenName = (service: ComposeService): boolean => partsOf(service).some((part) => hidden.has(part));

type Stand = { name: string; users: readonly ComposeService[] };

function rankOf(service: ComposeService, candidate: EndpointCandidate, { name: project, users }: Stand): number {
  const { name, image, dependsOn, links } = service;
  const parts = partsOf(service);
  const isUsedBy = (other: ComposeService) =>
    [...other.dependsOn, ...other.links].some((each) => each.service === name) && other !== service;
  const place = mainServiceNames.indexOf(name.toLowerCase());
  const port = candidate.port ?? candidate.usual;
  const signals: [boolean, number][] = [
    [candidate.isMeant, 200],
    [isProxy(image), 40],
    [place >= 0, 30 - place],
    [place < 0 && parts.some((part) => frontParts.has(part)), 25],
    [
      parts.some((part) =>
        project
          .toLowerCase()
          .split(/[^a-z0-9]+/)
          .includes(part),
      ),
      12,
    ],
    [parts.some((part) => behind.has(part)), -8],
    [isSupport(image) || parts.some((part) => support.has(part)), -25],
    [!users.some(isUsedBy), 20],
    [dependsOn.length + links.length > 0, 5],
    [port !== null, 20],
    [isHttpPort(port), 5],
  ];
  return signals.reduce((sum, [holds, weight]) => sum + (holds ? weight : 0), 0);
}
