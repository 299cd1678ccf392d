import type { ComposeService } from '../../../compose/index.ts';
import { imageName } from '../../../drivers/images/image-names.ts';
import type { BuildRequest, FoundImage, Removal } from '../../../drivers/images/images.ts';
import { isSamePlatform } from '../../../drivers/images/platforms.ts';
import { limitConcurrency } from '../../../lib/concurrency.ts';
import { requireContainers } from '../artifact.ts';
import { StepError } from '../model.ts';
import type { Parts } from '../parts.ts';
import { requireEngineSpace } from '../steps/disk.ts';
import { inWords, type Listener, pullFailed, runBuild, runOptions } from '../steps/image-request.ts';
import type { StepContext } from '../steps/step.ts';
import type { ServiceImage, Stack } from './model.ts';
import { appRequest, composeRequest } from './service-images-request.ts';

/** Of which service the image is made, and who hears of it. */
export interface MakeOptions extends Listener {
  stack: Pick<Stack, 'project'>;
  service: ComposeService;
  /** Of the source. */
  folder: string;
}

const atOnce = 2;

/** Makes the images of one deployment, a few at once. A service that waits for its turn gives up when its signal says so. */
export function serviceImageMaker(
  context: StepContext,
  { stack, folder }: Pick<MakeOptions, 'stack' | 'folder'>,
): (service: ComposeService, listener: Listener) => Promise<ServiceImage> {
  const limited = limitConcurrency(atOnce);
  return (service, { log, signal }) =>
    limited(() => makeServiceImage(context, { stack, service, folder, log, signal }), signal);
}

/** The image of a service: built for it, or pulled. Built ones are found again by an attempt that comes after a crash. */
export async function makeServiceImage(context: StepContext, options: MakeOptions): Promise<ServiceImage> {
  const { service } = options;
  options.signal.throwIfAborted();
  await requirePlatform(context.parts, service);
  if (service.build) return built(context, options, { request: await composeRequest(context, options, service.build) });
  if (service.app) return built(context, options, await appRequest(context, options, service.app));
  if (service.image === null)
    throw new StepError('build_refused', `${service.name} has neither an image nor anything to build`);
  return fetched(context, options, service.image);
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

/** From its registry, or from what the engine has. What the engine has of another organization is not there. */
async function fetched(context: StepContext, options: MakeOptions, reference: string): Promise<ServiceImage> {
  const { parts, deployment } = context;
  const { images } = requireContainers(parts);
  const { pullPolicy } = options.service;
  const isTheirs = ({ owner }: FoundImage) =>
    owner && (owner.instanceId !== parts.instanceId || owner.organizationId !== deployment.organization_id);
  const found = await images.findByName(reference);
  if (found && !isTheirs(found) && pullPolicy !== 'always') return serviceImage(reference, found);
  if (pullPolicy === 'never') throw pullFailed(`${reference} is not there, and its pull_policy is never`);
  await requireEngineSpace(context);
  await context.checkLease();
  const logins = await parts.registryLoginsOf(deployment.organization_id);
  const { buildMs } = parts.timeouts;
  const pulled = await inWords(buildMs, images.pull(reference, logins, runOptions(buildMs, options)));
  return serviceImage(reference, pulled);
}

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

/** Whether it can still be started. */
export async function isServiceImageThere(parts: Parts, { imageId }: Pick<ServiceImage, 'imageId'>): Promise<boolean> {
  return (await requireContainers(parts).images.find(imageId)) !== undefined;
}

export interface OldImages {
  projectId: string;
  /** Of the deployment that has built them. */
  deploymentId: string;
  /** Names of services: also of those whose images were pulled, or never made. */
  services: string[];
  /** Ids that builds gave, where they are known: an engine that was cut short in a removal has taken the name first. */
  imageIds?: string[];
}

/** Removes what was built for these services, and nothing that was pulled. Gives the services whose images are still used by a
 * container: those stay. */
export async function removeServiceImages(parts: Parts, old: OldImages): Promise<string[]> {
  if (!parts.containers) return [];
  const { images } = parts.containers;
  const left: string[] = [];
  for (const service of old.services) {
    const owner = { instanceId: parts.instanceId, organizationId: '', ...old, service };
    const removal: Removal = await images.remove(imageName(owner));
    if (removal === 'in_use') left.push(service);
  }
  for (const imageId of old.imageIds ?? []) await images.removeNameless(imageId);
  return left;
}
