import { imageName } from '../../../../drivers/images/image-names.ts';
import type { BuildRequest, FoundImage, ImageOwner } from '../../../../drivers/images/images.ts';
import { imageOwner, requireContainers } from '../../model/artifact.ts';
import type { Parts } from '../../model/parts.ts';
import type { ServiceImage, Stack } from '../../model/stack.ts';
import type { ComposeBuild, ComposeService } from '../../../../compose/index.ts';
import { isSamePlatform } from '../../../../drivers/images/platforms.ts';
import { limitConcurrency } from '../../../../lib/concurrency.ts';
import { StepError } from '../../model/model.ts';
import { requireEngineSpace } from '../../source/disk.ts';
import { withBuildErrors, type BuildListener, pullFailed, runImageBuild, runOptions } from '../image-request.ts';
import type { StepContext } from '../../model/step.ts';
import { builtFrom, namedContexts } from './contexts.ts';
import { appRequest, composeRequest } from './request.ts';

/** The service to make an image for, with the log and signal of the build. */
export interface ServiceImageOptions extends BuildListener {
  stack: Pick<Stack, 'project'>;
  service: ComposeService;
  /** Folder of the source. */
  folder: string;
  /** Images of the services that it is built from (`additional_contexts`), by service name. */
  bases?: Record<string, string>;
}

const atOnce = 2;

/**
 * Makes each image of a deployment once, with limited concurrency, and base images first. A queued service stops
 * waiting when its signal aborts.
 */
export function serviceImageMaker(
  context: StepContext,
  { stack, folder }: Pick<ServiceImageOptions, 'stack' | 'folder'>,
): (service: ComposeService, listener: BuildListener) => Promise<ServiceImage> {
  const limited = limitConcurrency(atOnce);
  const making = new Map<string, Promise<ServiceImage>>();
  const make = (service: ComposeService, listener: BuildListener): Promise<ServiceImage> => {
    const made = making.get(service.name) ?? begin(service, listener);
    making.set(service.name, made);
    // A call after a failure retries.
    made.catch(() => making.delete(service.name));
    return made;
  };
  const begin = async (service: ComposeService, { log, signal }: BuildListener): Promise<ServiceImage> => {
    const bases: Record<string, string> = {};
    // Bases are made before taking a slot: services that wait for each other must not block the slots they wait for.
    for (const base of builtFrom(stack.project, service)) bases[base.name] = (await make(base, { log, signal })).image;
    return limited(() => makeServiceImage(context, { stack, service, folder, bases, log, signal }), signal);
  };
  return make;
}

/** Builds or pulls the image of a service. A retry after a crash finds an image that was built already. */
export async function makeServiceImage(context: StepContext, options: ServiceImageOptions): Promise<ServiceImage> {
  const { service } = options;
  options.signal.throwIfAborted();
  await requirePlatform(context.parts, service);
  if (service.build) return builtWithContexts(context, options, service.build);
  if (service.app) return built(context, options, await appRequest(context, options, service.app));
  if (service.image === null)
    throw new StepError('build_refused', `${service.name} has neither an image nor a build section`);
  return fetched(context, options, service.image);
}

async function builtWithContexts(
  context: StepContext,
  options: ServiceImageOptions,
  build: ComposeBuild,
): Promise<ServiceImage> {
  const request = await composeRequest(context, options, build);
  const contexts = await namedContexts(context, options, build, request);
  try {
    return await built(context, options, { request: { ...request, namedImages: contexts.images } });
  } finally {
    await contexts.remove();
  }
}

type Port = { said: number | null; likely: number };

async function built(
  context: StepContext,
  listener: BuildListener,
  { request, port }: { request: BuildRequest; port?: Port },
): Promise<ServiceImage> {
  const { images } = requireContainers(context.parts);
  await requireEngineSpace(context);
  await context.checkLease();
  const { image, imageId } = await runImageBuild(context, request, listener);
  const found = await images.find(imageId);
  if (!found) throw new Error(`${image} was removed right after the build`);
  return {
    ...serviceImage(image, found),
    isOwn: true,
    port: port ? (port.said ?? found.ports[0] ?? port.likely) : null,
  };
}

/**
 * Pulls the image or uses the engine's copy. The engine serves any image to anyone, so foreign ones are rejected here.
 */
async function fetched(context: StepContext, options: ServiceImageOptions, reference: string): Promise<ServiceImage> {
  const { parts, deployment } = context;
  const { images } = requireContainers(parts);
  const { pullPolicy } = options.service;
  const found = await images.findByName(reference);
  if (found?.owner && !isSameOwner(found.owner, imageOwner(parts, deployment)))
    throw new StepError('image_refused', `the image ${reference} belongs to another project`);
  // In a cloud, others may have pulled it with their own credentials, so the registry must authorize each pull.
  const isShared = parts.mode === 'cloud';
  if (found && pullPolicy !== 'always' && !isShared) return serviceImage(reference, found);
  if (pullPolicy === 'never') throw pullFailed(`${reference} does not exist here, and its pull_policy is never`);
  await requireEngineSpace(context);
  await context.checkLease();
  const logins = await parts.registryLoginsOf(deployment.organizationId);
  const { buildMs } = parts.timeouts;
  const pulled = await withBuildErrors(buildMs, images.pull(reference, logins, runOptions(buildMs, options)));
  return serviceImage(reference, pulled);
}

const isSameOwner = (one: ImageOwner, other: ImageOwner): boolean =>
  one.instanceId === other.instanceId && one.organizationId === other.organizationId;

const serviceImage = (image: string, found: FoundImage): ServiceImage => ({
  image,
  imageId: found.imageId,
  isOwn: false,
  bytes: found.bytes,
  ports: found.ports,
  volumes: found.volumes,
  hasHealthcheck: found.hasHealthcheck,
  command: found.command,
  port: null,
});

async function requirePlatform(parts: Parts, { name, platform }: ComposeService): Promise<void> {
  if (platform === null) return;
  const own = await requireContainers(parts).images.platform();
  if (isSamePlatform(platform, own)) return;
  throw new StepError(
    'platform_refused',
    `${name} needs the platform ${platform}, and the container engine runs ${own}`,
    'Leave `platform` out, or deploy to a server of that platform.',
  );
}

export async function isServiceImageThere(parts: Parts, { imageId }: Pick<ServiceImage, 'imageId'>): Promise<boolean> {
  return (await requireContainers(parts).images.find(imageId)) !== undefined;
}

/** Images that no deployment needs any more. */
interface OldImages {
  projectId: string;
  /** The deployment that built them. */
  deploymentId: string;
  /** Service names, including services whose images were pulled or never made. */
  services: string[];
  /** Image ids, if known: an engine that was interrupted during a removal has already dropped the name. */
  imageIds?: string[];
}

/**
 * Removes the images built for these services, but no pulled ones. Returns the services whose images are still used by
 * a container.
 */
export async function removeServiceImages(parts: Parts, old: OldImages): Promise<string[]> {
  if (!parts.containers) return [];
  const { images } = parts.containers;
  const { projectId, deploymentId } = old;
  const left: string[] = [];
  for (const service of old.services) {
    // The organization is not part of the image's name; the driver checks its labels.
    const owner: ImageOwner = { instanceId: parts.instanceId, organizationId: '', projectId, deploymentId, service };
    if ((await images.remove(imageName(owner))) === 'in_use') left.push(service);
  }
  for (const imageId of old.imageIds ?? []) await images.removeNameless(imageId);
  return left;
}
