import type { ComposeBuild, ComposeProject, ComposeService, FileUse } from '../../../../compose/index.ts';
import { type DeploymentConfig, StepError } from '../../model/model.ts';
import { posix } from 'node:path';
import type { ContainerLimits } from '../../../../config.ts';
import type { Trust } from '../checks/trust.ts';
import { contentKey, unowned } from '../../contents/key.ts';
import { sha256Of, SourceDigests } from './source.ts';
import { endpointsOf, listeningPortOf } from '../endpoints/endpoints.ts';
import { isAwaited, type Stack } from '../../model/stack.ts';
import { confinementOf, limitsOf } from '../../limits/service-limits.ts';

/** Input of the digests. */
export interface DigestInput {
  folder: string;
  project: ComposeProject;
  config: Pick<DeploymentConfig, 'variables' | 'memoryBytes' | 'cpus' | 'publicEndpoints'>;
  mode: Trust['mode'];
  /** Bounds of every container in cloud mode. */
  bounds?: ContainerLimits | undefined;
  contents: Stack['contents'];
  candidates?: Stack['candidates'];
}

/**
 * Returns a digest of everything that defines each service's container. It changes only if one of those inputs
 * changes.
 */
export function serviceDigests(on: DigestInput, source = new SourceDigests(on.folder)): Promise<Stack['digests']> {
  return digestsOf(on, (service, digest) => partsOf(on, source, service, digest));
}

/** Returns a digest of the inputs of each service's image: container variables do not change the image. */
export function imageDigests(on: DigestInput, source: SourceDigests): Promise<Stack['digests']> {
  return digestsOf(on, (service, digest) => imagePartsOf(on, source, service, digest));
}

type DigestOf = (name: string) => Promise<string>;

async function digestsOf(
  on: DigestInput,
  partsOfService: (service: ComposeService, digest: DigestOf) => Promise<unknown>,
): Promise<Stack['digests']> {
  requireNoCircle(on.project);
  const known = new Map<string, Promise<string>>();
  const digest = (name: string): Promise<string> => {
    const before = known.get(name);
    if (before) return before;
    const service = on.project.services.find((each) => each.name === name)!;
    const now = partsOfService(service, digest).then((parts) => sha256Of(canonical(parts)));
    known.set(name, now);
    return now;
  };
  const names = on.project.services.map(({ name }) => name);
  const digests = await Promise.all(names.map(async (name) => [name, await digest(name)] as const));
  return Object.fromEntries(digests);
}

async function partsOf(
  on: DigestInput,
  source: SourceDigests,
  service: ComposeService,
  digest: (name: string) => Promise<string>,
): Promise<unknown> {
  const { project } = on;
  // Start order, pull policy and logging do not change the container.
  const { places: _places, dependsOn: _dependsOn, pullPolicy: _pullPolicy, logging: _logging, ...own } = service;
  return {
    // The number of replicas does not change any of them.
    own: { ...own, replicas: 1 },
    isAwaited: isAwaited(project.services, service.name),
    settings: settingsFor(on, service),
    // A service that shares another one's namespace is replaced together with it.
    others: await Promise.all(livesWith(project, service).map(digest)),
    networks: named(project.networks, service.networks),
    volumes: project.volumes.filter(({ name }) =>
      service.mounts.some((mount) => mount.type === 'volume' && mount.volume === name),
    ),
    configs: held(on, 'configs', service.configs),
    secrets: held(on, 'secrets', service.secrets),
    binds: service.mounts.flatMap((mount) =>
      mount.type === 'bind' && mount.source.isInside ? [on.contents[mount.source.path] ?? null] : [],
    ),
    build: service.build && (await buildParts(on, source, service.build, digest)),
    app: service.app && [await source.app(), buildTime(on)],
  };
}

async function imagePartsOf(
  on: DigestInput,
  source: SourceDigests,
  { image, build, app, platform, environment }: ComposeService,
  digest: DigestOf,
): Promise<unknown> {
  return {
    image,
    platform,
    build: build && [build, await buildParts(on, source, build, digest)],
    // The port of an app is written into its Dockerfile.
    app: app && [app, environment['PORT'] ?? null, await source.app(), buildTime(on)],
  };
}

async function buildParts(
  on: DigestInput,
  source: SourceDigests,
  { context, dockerfile, additionalContexts, secrets }: ComposeBuild,
  digest: (name: string) => Promise<string>,
): Promise<unknown> {
  const others = additionalContexts.map(async ({ name, from }) => {
    if ('path' in from) return [name, await source.context(from.path, null)];
    const service = serviceOf(on.project, from.reference);
    return [name, service === undefined ? from.reference : await digest(service)];
  });
  return {
    // The Dockerfile reaches the build even if .dockerignore excludes it.
    dockerfile: dockerfile && (await source.file(posix.join(context.path, dockerfile))),
    context: await source.context(context.path, dockerfile),
    others: await Promise.all(others),
    // The builder decides the owner of build secrets.
    secrets: held(
      on,
      'secrets',
      secrets.map((use) => ({ ...use, ...unowned })),
    ),
    buildTime: buildTime(on),
  };
}

/** Returns the project settings that affect this container. */
function settingsFor({ project, config, mode, bounds, candidates }: DigestInput, service: ComposeService): unknown {
  const places = { label: '', baseDomain: '', candidates };
  const endpoint = endpointsOf(project.services, config.publicEndpoints ?? [], places).find(
    (each) => each.service === service.name,
  );
  const port = listeningPortOf(service, { port: null, ports: [] }, endpoint?.port ?? null);
  const { memoryBytes, cpus } = config;
  return [limitsOf(service, { memoryBytes, cpus, bounds }, mode), confinementOf(service, mode), port];
}

const buildTime = ({ config }: DigestInput) =>
  config.variables.filter((variable) => variable.buildTime).map(({ key, value }) => [key, value]);

const named = <T extends { name: string }>(all: T[], used: { name: string }[]): T[] =>
  all.filter(({ name }) => used.some((each) => each.name === name));

const held = ({ project, contents }: DigestInput, section: 'configs' | 'secrets', uses: FileUse[]): unknown[] =>
  uses.flatMap((use) =>
    project[section]
      .filter(({ name }) => name === use.source)
      .map((file) => [file, contents[contentKey(section, file, use)] ?? null]),
  );

/** Serializes with sorted keys and without source positions, so that equal definitions have equal text. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) => {
    if (typeof item !== 'object' || item === null || Array.isArray(item)) return item;
    const entries = Object.entries(item).filter(([key, inner]) => key !== 'at' || !isPlace(inner));
    return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
  });
}

const isPlace = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'file' in value && 'line' in value;

/** Returns the services whose namespaces or mounts it uses. */
function livesWith(project: ComposeProject, { networkMode, isolation, volumesFrom }: ComposeService): string[] {
  const modes = [networkMode, isolation.pid, isolation.ipc].map((mode) => serviceOf(project, mode ?? ''));
  const lenders = volumesFrom.map((from) => serviceOf(project, `service:${from.service}`));
  return [...new Set([...modes, ...lenders])].filter((name) => name !== undefined).toSorted();
}

/** Resolves `service:name` to an existing service. */
const serviceOf = ({ services }: ComposeProject, reference: string): string | undefined =>
  services.find(({ name }) => reference === `service:${name}`)?.name;

/** Digests include the digests of other services, so cycles must be rejected. */
function requireNoCircle(project: ComposeProject): void {
  const done = new Set<string>();
  const visit = (name: string, way: readonly string[]): void => {
    if (way.includes(name))
      throw new StepError(
        'compose_invalid',
        `services depend on each other in a circle: ${[...way, name].join(' -> ')}`,
      );
    if (done.has(name)) return;
    const service = project.services.find((each) => each.name === name)!;
    const contexts = (service.build?.additionalContexts ?? []).map(({ from }) =>
      'path' in from ? undefined : serviceOf(project, from.reference),
    );
    for (const other of [...livesWith(project, service), ...contexts])
      if (other !== undefined) visit(other, [...way, name]);
    done.add(name);
  };
  for (const { name } of project.services) visit(name, []);
}
