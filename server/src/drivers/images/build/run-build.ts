import { randomBytes } from 'node:crypto';
import type { EngineClient } from '../../runtime/docker/engine/client.ts';
import { EngineAwayError } from '../../runtime/errors.ts';
import { openContext } from '../context/context.ts';
import { checkDockerfile } from '../dockerfile/check.ts';
import { parseDockerfile } from '../dockerfile/parse.ts';
import { BuildRefusedError } from '../errors.ts';
import { ForeignImages } from '../foreign-images.ts';
import { attemptLabel, imageLabels, imageName } from '../image-names.ts';
import type { ImageStore } from '../image-store.ts';
import type { BuildRequest, BuiltImage, RunOptions } from '../images.ts';
import { isSamePlatform, platformOf } from '../platforms.ts';
import { refuseRemoteFiles, refuseRemoteFilesIn, type SharedEngine } from '../shared-engine.ts';
import { untilStopped } from '../stop-signal.ts';
import { BuildOutput } from './build-output.ts';
import type { BuildKitBuilder } from './buildkit.ts';
import { checkRequest, dockerfileText } from './check-request.ts';
import type { BuildPlan, BuildRun, RanStep } from './plan.ts';

/** Settings shared by all builds of an engine. */
export interface BuildSettings {
  engine: EngineClient;
  store: ImageStore;
  builder: BuildKitBuilder;
  /** Arguments of all builds, such as `HTTP_PROXY`. Engines keep the predefined ones out of history and cache. */
  args: Record<string, string>;
  memoryBytes: number | undefined;
  onRan: (step: RanStep) => void;
  /** Platforms that it builds besides its own. */
  otherPlatforms?: string[] | undefined;
  /** Set where organizations share the engine. */
  shared?: SharedEngine | undefined;
}

/** Builds the image of a request, or finds it. */
export async function runBuild(
  settings: BuildSettings,
  request: BuildRequest,
  options: RunOptions,
): Promise<BuiltImage> {
  checkRequest(request);
  return untilStopped('the build', options, async (stop, abort) => {
    const image = imageName(request.owner);
    const found = await findBuilt(settings.store, request, image);
    if (found) return found;
    const plan = await planOf(settings, request, image);
    const { shared } = settings;
    if (shared) refuseRemoteFilesIn(plan.dockerfile.file);
    const foreign = new ForeignImages(settings.store, request.owner, shared && { engine: shared, ...plan });
    const { images, imagesInTexts } = plan.dockerfile;
    for (const name of [...images, ...imagesInTexts]) await foreign.refuse(name);
    const onImage = (name: string) =>
      foreign.refuse(name).catch((error: Error) => {
        abort(error);
        throw error;
      });
    const output = new BuildOutput(options.onLine);
    for (const notice of plan.dockerfile.notices) output.say(notice);
    // The step may come from a base image (ONBUILD).
    const onStep = (name: string) => {
      try {
        if (shared) refuseRemoteFiles(parseDockerfile(name.replace(/^\[[^\]]*\] /, '')).instructions);
      } catch (error) {
        abort(error as Error);
      }
    };
    return attempt(settings, plan, { stop, output, onImage, onStep, onRan: settings.onRan });
  });
}

async function attempt(settings: BuildSettings, plan: BuildPlan, run: BuildRun): Promise<BuiltImage> {
  const { builder, store } = settings;
  try {
    await builder.end(plan.owner);
    run.stop.throwIfAborted();
    const imageId = await builder.build(plan, run);
    run.stop.throwIfAborted();
    return await checkBuilt(store, plan, imageId);
  } catch (error) {
    if (!(error instanceof EngineAwayError)) await removeAttempt(store, plan);
    throw error;
  }
}

async function planOf(settings: BuildSettings, request: BuildRequest, image: string): Promise<BuildPlan> {
  const {
    owner,
    context,
    target,
    secrets = {},
    credentials = [],
    cache = true,
    freshBases = false,
    extraHosts = [],
    network = 'default',
    shmBytes,
  } = request;
  const args = { ...settings.args, ...givenArgs(request) };
  const platform = await otherPlatform(settings, request);
  const architecture = (platform ?? (await platformOf(settings.engine))).split('/')[1]!;
  return {
    owner,
    image,
    context: await openContext(context, request),
    dockerfile: checkDockerfile(await dockerfileText(request), { args, target, architecture }),
    target,
    args,
    secrets,
    credentials,
    labels: { ...imageLabels(owner), [attemptLabel]: randomBytes(8).toString('hex'), ...request.labels },
    cache,
    freshBases,
    extraHosts,
    network,
    shmBytes,
    platform,
    memoryBytes: settings.memoryBytes,
  };
}

const givenArgs = ({ args = {} }: BuildRequest): Record<string, string> =>
  Object.fromEntries(Object.entries(args).filter((pair): pair is [string, string] => pair[1] !== null));

/** Returns the platform of the request if it is not the engine's own; rejects one that it does not build. */
async function otherPlatform(
  { engine, otherPlatforms = [] }: BuildSettings,
  { platform }: BuildRequest,
): Promise<string | undefined> {
  const own = await platformOf(engine);
  if (platform === undefined || isSamePlatform(platform, own)) return undefined;
  if (otherPlatforms.some((each) => isSamePlatform(each, platform))) return platform;
  throw new BuildRefusedError(`${JSON.stringify(platform)} cannot be built here: the engine is ${own}`);
}

/** An earlier attempt may have finished without reporting it. */
async function findBuilt(
  store: ImageStore,
  { owner, platform }: BuildRequest,
  image: string,
): Promise<BuiltImage | undefined> {
  const details = await store.details(image);
  // A worker builds the same image for several platforms.
  if (!details || (platform && !isSamePlatform(platform, `${details.Os}/${details.Architecture}`))) return undefined;
  if (store.ownerBy(image, details)?.organizationId !== owner.organizationId)
    throw new BuildRefusedError(`the name ${image} is taken by another image`);
  return { image, imageId: details.Id, bytes: details.Size };
}

/** The build may have finished when it was cancelled. Keeps another worker's image of the same name. */
async function removeAttempt(store: ImageStore, { image, labels }: BuildPlan): Promise<void> {
  const details = await store.details(image);
  if (details?.Config?.Labels?.[attemptLabel] === labels[attemptLabel]) await store.remove(image);
}

/** Checks that the engine's image has the expected id and labels. */
async function checkBuilt(store: ImageStore, { image, labels }: BuildPlan, imageId: string): Promise<BuiltImage> {
  const details = await store.details(image);
  const carried = details?.Config?.Labels ?? {};
  if (details?.Id !== imageId || carried[attemptLabel] !== labels[attemptLabel] || !store.ownerBy(image, details))
    throw new Error(`the engine built ${imageId}, but ${image} is ${details?.Id ?? 'not there'}`);
  return { image, imageId, bytes: details.Size };
}
