import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { CopyOutError } from '../../../drivers/images/errors.ts';
import { removeTree } from '../../../lib/remove-tree.ts';
import { requireContainers } from '../model/artifact.ts';
import type { Built, BuiltFolder } from '../model/built.ts';
import { StepError } from '../model/model.ts';
import { folderBytes } from '../../../lib/tree-size.ts';
import type { ImagePlan, Recipe } from '../model/recipe.ts';
import { requireEngineSpace } from '../source/disk.ts';
import { runImageBuild, sharedRequest } from './image-request.ts';
import type { StepContext } from '../model/step.ts';

/** Builds the release's image from the source's Dockerfile or a generated one. */
export async function buildImage(context: StepContext, recipe: Recipe, plan: ImagePlan): Promise<Built> {
  const { parts, deployment } = context;
  const { images } = requireContainers(parts);
  const folder = parts.folders.release(deployment.artifactId);
  const taken = await requireEngineSpace(context);
  await context.checkLease();
  const request = {
    ...(await sharedRequest(context)),
    context: join(folder, plan.context),
    dockerfile: plan.dockerfile,
    ...(plan.dockerignore !== null && { ignore: plan.dockerignore }),
  };
  const { image, imageId, bytes } = await runImageBuild(context, request, context);
  if (plan.site !== null) return takeSite(context, { image, imageId, path: plan.site, name: recipe.outputDirectory });
  const found = await images.find(imageId);
  const port = plan.port.said ?? found?.ports[0] ?? plan.port.likely;
  const volumes = found?.volumes ?? [];
  const takenBytes = await taken();
  // The image contains everything the release needs.
  await parts.folders.remove(deployment.artifactId);
  // Concurrent builds distort the measurement; no build leaves many times the size of its image.
  const bounded = takenBytes && Math.min(takenBytes, 4 * bytes);
  return { kind: 'image', image, imageId, bytes, takenBytes: bounded, port, volumes };
}

/** Keeps only the site: the edge serves it from a folder. */
async function takeSite(
  { parts, deployment }: StepContext,
  { image, imageId, path, name }: { image: string; imageId: string; path: string; name: string | null },
): Promise<BuiltFolder> {
  const { images } = requireContainers(parts);
  const folder = parts.folders.release(deployment.artifactId);
  const beside = parts.folders.unfinishedSite(deployment.artifactId);
  await removeTree(beside);
  await images.copyOut(imageId, path, beside).catch((error: Error) => {
    if (!(error instanceof CopyOutError)) throw error;
    throw new StepError(
      'no_output',
      `the site cannot be taken from ${name ?? path}: ${error.message}`,
      'Set the folder that the build writes the site to: mooring project set <project> outputDirectory=<folder>.',
    );
  });
  const bytes = await folderBytes(beside);
  await removeTree(folder);
  await rename(beside, folder);
  await images.remove(image);
  return { kind: 'folder', site: '', bytes };
}
