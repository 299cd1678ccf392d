import type { ComposeBuild, ComposeService } from '../../../compose/index.ts';
import type { BuildRequest, FoundImage, ImageOwner } from '../../../drivers/images/images.ts';
import { isSamePlatform } from '../../../drivers/images/platforms.ts';
import { limitConcurrency } from '../../../lib/concurrency.ts';
import { imageOwner, requireContainers } from '../artifact.ts';
import { StepError } from '../model.ts';
import type { Parts } from '../parts.ts';
import { requireEngineSpace } from '../steps/disk.ts';
import { inWords, type Listener, pullFailed, runBuild, runOptions } from '../steps/image-request.ts';
import type { StepContext } from '../steps/step.ts';
import type { ServiceImage, Stack } from './model.ts';
import { builtFrom, namedContexts } from './service-images-contexts.ts';
import { appRequest, composeRequest } from './service-images-request.ts';

export { isServiceImageThere, removeServiceImages } from './service-images-old.ts';

/** Of which service the image is made, and who hears of it. */
export interface MakeOptions extends Listener {
  stack: Pick<Stack, 'project'>;
  service: ComposeService;
  /** Of the source. */
  folder: string;
  /** Images of services that it is built from (`additional_contexts`), by the names of the services. */
  bases?: Record<string, string>;
}

const atOnce = 2;

/** Makes the images of one deployment, a few at once, and each once: what one is built from is made before it. A service that
 * waits for its turn gives up when its signal says so. */
export function serviceImageMaker(
  context: StepContext,
  { stack, folder }: Pick<MakeOptions, 'stack' | 'folder'>,
): (service: ComposeService, listener: Listener) => Promise<ServiceImage> {
  const limited = limitConcurrency(atOnce);
  const making = new Map<string, Promise<ServiceImage>>();
  const make = (service: ComposeService, listener: Listener): Promise<ServiceImage> => {
    const made = making.get(service.name) ?? begin(service, listener);
    making.set(service.name, made);
    // Who asks again after a failure gets another try.
    made.catch(() => making.delete(service.name));
    return made;
  };
  const begin = async (service: ComposeService, { log, signal }: Listener): Promise<ServiceImage> => {
    const bases: Record<string, string> = {};
    // Before it has its turn: those that wait for each other must not keep the places of those they wait for.
    for (const base of builtFrom(stack.project, service)) bases[base.name] = (await make(base, { log, signal })).image;
    return limited(() => makeServiceImage(context, { stack, service, folder, bases, log, signal }), signal);
  };
  return make;
}

/** The image of a service: built for it, or pulled. Built ones are found again by an attempt that comes after a crash. */
export async function makeServiceImage(context: StepContext, options: MakeOptions): Promise<ServiceImage> {
  const { service } = options;
  options.signal.throwIfAborted();
  await requirePlatform(context.parts, service);
  if (service.build) return builtWithContexts(context, options, service.build);
  if (service.app) return built(context, options, await appRequest(context, options, service.app));
  if (service.image === null)
    throw new StepError('build_refused', `${service.name} has neither an image nor anything to build`);
  return fetched(context, options, service.image);
}

async function builtWithContexts(
  context: StepContext,
  options: MakeOptions,
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
  listener: Listener,
  { request, port }: { request: BuildRequest; port?: Port },
): Promise<ServiceImage> {
  const { images } = requireContainers(context.parts);
  await requireEngineSpace(context);
  await context.checkLease();
  const { image, imageId } = await runBuild(context, request, listener);
  const found = await images.find(imageId);
  if (!found) throw new Error(`${image} was removed as soon as it was built`);
  return {
    ...serviceImage(image, found),
    isOwn: true,
    port: port ? (port.said ?? found.ports[0] ?? port.likely) : null,
  };
}

/** From its registry, or from what the engine has: that gives any image to anybody, so those of others are refused here. */
async function fetched(context: StepContext, options: MakeOptions, reference: string): Promise<ServiceImage> {
  const { parts, deployment } = context;
  const { images } = requireContainers(parts);
  const { pullPolicy } = options.service;
  const found = await images.findByName(reference);
  if (found?.owner && !isSameOwner(found.owner, imageOwner(parts, deployment)))
    throw new StepError('image_refused', `the image ${reference} is not yours to use`);
  // In a cloud others have pulled what is there, with logins of their own: the registry has to say that it may be had.
  const isShared = parts.mode === 'cloud';
  if (found && pullPolicy !== 'always' && !isShared) return serviceImage(reference, found);
  if (pullPolicy === 'never') throw pullFailed(`${reference} is not there, and its pull_policy is never`);
  await requireEngineSpace(context);
  await context.checkLease();
  const logins = await parts.registryLoginsOf(deployment.organization_id);
  const { buildMs } = parts.timeouts;
  const pulled = await inWords(buildMs, images.pull(reference, logins, runOptions(buildMs, options)));
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
  port: null,
});

async function requirePlatform(parts: Parts, { name, platform }: ComposeService): Promise<void> {
  if (platform === null) return;
  const own = await requireContainers(parts).images.platform();
  if (isSamePlatform(platform, own)) return;
  throw new StepError(
    'platform_refused',
    `${name} is wanted for ${platform}, and the container engine is ${own}`,
    'Leave `platform` out, or deploy to a machine of that kind.',
  );
}
