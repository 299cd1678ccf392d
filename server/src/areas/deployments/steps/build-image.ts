import { constants } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import {
  BuildFailedError,
  BuildRefusedError,
  CopyOutError,
  ImageTimeoutError,
  PullFailedError,
} from '../../../drivers/images/errors.ts';
import type { BuildRequest } from '../../../drivers/images/images.ts';
import { removeTree } from '../../../lib/remove-tree.ts';
import { type Built, type BuiltFolder, imageOwner, requireContainers } from '../artifact.ts';
import { engineFull, tookTooLong } from '../failure.ts';
import { StepError } from '../model.ts';
import { sizeOf } from './build-folder.ts';
import type { Recipe } from './detect.ts';
import { requireEngineSpace } from './disk.ts';
import type { ImagePlan } from './image-plan.ts';
import type { StepContext } from './step.ts';

/** Builds the image of the release, by the source's Dockerfile or by ours. */
export async function buildImage(context: StepContext, recipe: Recipe, plan: ImagePlan): Promise<Built> {
  const { parts, deployment, log } = context;
  const { images } = requireContainers(parts);
  const folder = parts.folders.release(deployment.artifact_id);
  for (const notice of plan.notices) log(notice, 'warn');
  if (plan.dockerignore !== null) await writeIgnoreFile(join(folder, plan.context), plan.dockerignore);
  const taken = await requireEngineSpace(context);
  await context.checkLease();
  const { image, imageId, bytes } = await images
    .build(await requestOf(context, plan, join(folder, plan.context)), {
      signal: context.signal,
      deadlineMs: parts.timeouts.buildMs,
      onLine: (line, stream) => log(line, 'info', stream),
    })
    .catch((error: Error) => {
      throw inWords(error, parts.timeouts.buildMs);
    });
  if (plan.site !== null) return takeSite(context, { image, imageId, path: plan.site, name: recipe.outputDirectory });
  const port = plan.port.said ?? (await images.find(imageId))?.ports[0] ?? plan.port.likely;
  const takenBytes = await taken();
  // Everything that it needs is in the image.
  await parts.folders.remove(deployment.artifact_id);
  // Others build meanwhile: no build leaves many times what it makes.
  return { kind: 'image', image, imageId, bytes, takenBytes: takenBytes && Math.min(takenBytes, 4 * bytes), port };
}

async function requestOf({ parts, deployment, config }: StepContext, plan: ImagePlan, context: string) {
  const { images } = requireContainers(parts);
  const variables = config.variables.filter(({ buildTime }) => buildTime);
  const valuesOf = (isSecret: boolean) =>
    Object.fromEntries(variables.filter(({ secret }) => secret === isSecret).map(({ key, value }) => [key, value]));
  const request: BuildRequest = {
    owner: imageOwner(parts, deployment),
    context,
    dockerfile: plan.dockerfile,
    args: valuesOf(false),
    secrets: (await images.usesBuildKit()) ? valuesOf(true) : {},
    credentials: await parts.registryLoginsOf(deployment.organization_id),
  };
  return request;
}

/** Not over what is there, and not through a link. */
async function writeIgnoreFile(folder: string, content: string): Promise<void> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL;
  const file = await open(join(folder, '.dockerignore'), flags, 0o644).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
    return undefined;
  });
  await file?.writeFile(content);
  await file?.close();
}

/** The site is all that is kept: it is served from a folder, by the edge. */
async function takeSite(
  { parts, deployment }: StepContext,
  { image, imageId, path, name }: { image: string; imageId: string; path: string; name: string | null },
): Promise<BuiltFolder> {
  const { images } = requireContainers(parts);
  const folder = parts.folders.release(deployment.artifact_id);
  const beside = parts.folders.unfinishedSite(deployment.artifact_id);
  await removeTree(beside);
  await images.copyOut(imageId, path, beside).catch((error: Error) => {
    if (!(error instanceof CopyOutError)) throw error;
    throw new StepError(
      'no_output',
      `the site cannot be taken from ${name ?? path}: ${error.message}`,
      'Set outputDirectory to where the build writes the site.',
    );
  });
  const bytes = await sizeOf(beside);
  await removeTree(folder);
  await rename(beside, folder);
  await images.remove(image);
  return { kind: 'folder', site: '', bytes };
}

/** The engine's reasons, for the person who deploys. */
function inWords(error: Error, deadlineMs: number): Error {
  if (error instanceof ImageTimeoutError) return tookTooLong('build', deadlineMs);
  if (error instanceof PullFailedError || isBaseMissing(error))
    return new StepError(
      'pull_failed',
      error.message,
      'Check the name of the image and that its registry can be reached; for a private one, add a login for its registry.',
    );
  if (error instanceof BuildRefusedError) return new StepError('build_refused', error.message);
  if (!(error instanceof BuildFailedError)) return error;
  if (error.diskFull) return engineFull();
  return new StepError('build_failed', error.message, 'The last lines of the build log say why.');
}

/** BuildKit fetches what a build begins with itself, and says so in these words. */
const isBaseMissing = (error: Error): boolean =>
  error instanceof BuildFailedError &&
  /^(?:load metadata for|pull access denied|failed to resolve source)/.test(error.message);
