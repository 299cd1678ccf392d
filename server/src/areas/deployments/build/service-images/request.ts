import { join, posix } from 'node:path';
import type { AppBuild, ComposeBuild } from '../../../../compose/index.ts';
import { ignoreBeside, readInside } from '../../../../drivers/images/context/context.ts';
import type { BuildRequest } from '../../../../drivers/images/images.ts';
import { isSamePlatform } from '../../../../drivers/images/platforms.ts';
import { requireContainers } from '../../model/artifact.ts';
import { StepError } from '../../model/model.ts';
import { sharedRequest } from '../image-request.ts';
import type { StepContext } from '../../model/step.ts';
import { appImagePlan, requireFolder } from '../app-image.ts';
import { buildSecrets } from './secrets.ts';
import type { ServiceImageOptions } from './service-images.ts';

const largestDockerfile = 1_048_576;
/** Requests a cache that is pushed with the image; Mooring pushes no images. */
const inlineCache = 'BUILDKIT_INLINE_CACHE';

/** Converts a compose build section to a build request. */
export async function composeRequest(
  context: StepContext,
  options: ServiceImageOptions,
  build: ComposeBuild,
): Promise<BuildRequest> {
  requireUsual(build);
  const shared = await sharedRequest(context, options.service.name);
  const { [inlineCache]: _, ...args } = build.args;
  const platform = await ownPlatform(context, options, build);
  return {
    ...shared,
    context: await requireFolder(options.folder, build.context.path),
    ...(await dockerfileOf(options.folder, build)),
    // An argument without a value may get one from the project's variables.
    args: { ...args, ...shared.args, ...withValue(args) },
    secrets: { ...shared.secrets, ...(await buildSecrets(options, build.secrets)) },
    labels: build.labels,
    extraHosts: build.extraHosts,
    network: (build.network ?? 'default') as 'default' | 'none',
    cache: !build.isWithoutCache,
    freshBases: build.isPulling,
    ...(build.target !== null && { target: build.target }),
    ...(build.shmBytes !== null && { shmBytes: build.shmBytes }),
    ...(platform !== undefined && { platform }),
  };
}

const withValue = (args: Record<string, string | null>) =>
  Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null));

/** Rejects options that builds through the engine's API do not support, or that Mooring does not allow. */
function requireUsual({ context, network, isPrivileged, entitlements }: ComposeBuild): void {
  if (!context.isInside) throw refused(`build.context: ${context.path} is not a folder of the source`);
  if (network !== null && !['default', 'none'].includes(network))
    throw refused(`build.network: builds cannot use the network ${network}`, 'Use `none` or leave it out.');
  if (isPrivileged) throw refused('build.privileged: builds run without privileges');
  if (entitlements.length) throw refused(`build.entitlements: builds cannot have ${entitlements.join(', ')}`);
}

/** Of several platforms, chooses the engine's own. */
async function ownPlatform(
  { parts }: StepContext,
  { log }: ServiceImageOptions,
  { platforms }: ComposeBuild,
): Promise<string | undefined> {
  const own = await requireContainers(parts).images.platform();
  const chosen = platforms.find((each) => isSamePlatform(each, own));
  if (chosen !== undefined && platforms.length > 1) log(`Built for ${own} only, the platform of the engine`);
  // If none matches, the builder reports it.
  return chosen ?? platforms[0];
}

type Dockerfile = Pick<BuildRequest, 'dockerfile' | 'ownIgnore'>;

/** A Dockerfile may be outside its context, but not outside the source. */
async function dockerfileOf(folder: string, build: ComposeBuild): Promise<Dockerfile> {
  if (build.dockerfileInline !== null) return { dockerfile: { text: build.dockerfileInline } };
  const name = build.dockerfile ?? 'Dockerfile';
  const inContext = posix.normalize(name);
  if (!inContext.startsWith('../')) return { dockerfile: { path: inContext } };
  const path = posix.join(build.context.path, name);
  const text = path.startsWith('../') ? undefined : await readInside(folder, path, largestDockerfile);
  if (text === undefined) throw refused(`the source has no file ${path} to build from`);
  return { dockerfile: { text }, ...(await ownRules(folder, path)) };
}

/** The engine gets only the text, so the ignore file next to the Dockerfile is passed along. */
async function ownRules(folder: string, dockerfile: string): Promise<Pick<BuildRequest, 'ownIgnore'>> {
  const ownIgnore = await ignoreBeside(folder, dockerfile);
  return ownIgnore === undefined ? {} : { ownIgnore };
}

/** Builds a part of the source without a Dockerfile; also returns its port. */
export async function appRequest(context: StepContext, options: ServiceImageOptions, app: AppBuild) {
  const { service, folder, log } = options;
  const plan = await appImagePlan(context, { service, app, folder, log });
  const request: BuildRequest = {
    ...(await sharedRequest(context, service.name)),
    context: await requireFolder(folder, plan.context),
    ...(await startedBy(join(folder, plan.context), plan.dockerfile, app.startCommand)),
    ...(plan.dockerignore !== null && { ignore: plan.dockerignore }),
  };
  return { request, port: plan.port };
}

/** Adds the service's start command to the source's own Dockerfile. */
async function startedBy(
  context: string,
  dockerfile: BuildRequest['dockerfile'],
  command: string | null,
): Promise<Dockerfile> {
  if ('text' in dockerfile || command === null) return { dockerfile };
  const text = await readInside(context, dockerfile.path, largestDockerfile);
  if (text === undefined) return { dockerfile };
  const start = ['ENTRYPOINT ["/bin/sh", "-c"]', `CMD ${JSON.stringify([command])}`];
  const started = `${text.trimEnd().replace(/\\$/, '')}\n${start.join('\n')}\n`;
  return { dockerfile: { text: started }, ...(await ownRules(context, dockerfile.path)) };
}

const refused = (message: string, hint: string | null = null) => new StepError('build_refused', message, hint);
