import { chmod, lstat } from 'node:fs/promises';
import { join } from 'node:path';
import type { AppUser } from '../../../drivers/host/sandbox.ts';
import type { Confinement, ImageRelease, Owner, ReleaseSpec } from '../../../drivers/runtime/runtime.ts';
import { appOf, appService, type ServiceImage, type ServiceState, type Stack } from '../model/stack.ts';
import { mountsOf } from './service-spec/mounts.ts';
import { appOptions } from '../../../drivers/runtime/app-options.ts';
import { limitsUnder, ceilingOf, healthCheckPace } from '../limits/container.ts';
import { type DeploymentConfig, edgeKey, StepError } from '../model/model.ts';
import type { Parts } from '../model/parts.ts';
import type { DeploymentRow } from '../model/store.ts';
import { ownPrograms } from '../build/command.ts';
import { openTools } from '../build/toolchain/toolchain.ts';
import { chownTree } from '../build/folder.ts';
import type { Recipe } from '../model/recipe.ts';
import { withoutVolumes } from '../model/volumes.ts';
import { carryOver } from './carry-over.ts';
import { layOutVolumes } from './volumes.ts';

type Made = { deployment: DeploymentRow; config: DeploymentConfig; stack: Stack; recipe: Recipe };

/** Returns everything the runtime needs to start an app, now or after a reboot. */
export async function appRelease(
  parts: Parts,
  made: Made,
  { image, folder }: Pick<ServiceState, 'image' | 'folder'>,
): Promise<ReleaseSpec> {
  const { deployment, config, stack, recipe } = made;
  if (image) {
    await carryOver(parts, made, ownerOf(parts, deployment, appService));
    // A generated Dockerfile contains the start command.
    const isInImage = recipe.image === null || 'text' in recipe.image.dockerfile;
    return imageSpec(parts, made, image, isInImage ? null : recipe.startCommand);
  }
  const { memoryBytes } = limitsUnder(ceilingOf(parts, config));
  const user = await parts.userOf(deployment.projectId);
  if (user) await requireOwn(parts.folders.release(deployment.artifactId), user);
  const release = parts.folders.release(deployment.artifactId);
  const tools = await openTools(parts, recipe, folder?.tools);
  return {
    owner: ownerOf(parts, deployment, appService),
    kind: 'folder',
    folder: join(release, config.rootDirectory),
    command: recipe.startProgram ?? recipe.startCommand!,
    programs: [...ownPrograms(release, config.rootDirectory), ...tools.programs],
    tools: tools.folders,
    env: { NODE_ENV: 'production', ...variablesOf(config) },
    secretKeys: secretsOf(config),
    releaseFolder: release,
    volumes: await layOutVolumes(parts, { deployment, config, stack }, user),
    user,
    ...(memoryBytes && { memoryBytes }),
  };
}

/**
 * Hands over a release that an older version built as root. A release of any other user dates from a time when two
 * projects shared one.
 */
async function requireOwn(folder: string, user: AppUser): Promise<void> {
  const { uid } = await lstat(folder);
  if (uid === user.uid) return;
  if (uid !== 0)
    throw new StepError(
      'foreign_release',
      `The release belongs to user ${uid}, and the project's user is ${user.uid}`,
      'Redeploy the project: its next release belongs to its own user.',
    );
  await chmod(folder, 0o700);
  await chownTree(folder, user);
}

/**
 * Returns the spec of a one-off command in the release's image that runs beside the previous release. `without` names
 * volumes that it does not get.
 */
export async function onceSpec(
  parts: Parts,
  { stack, ...others }: Made,
  image: ServiceImage,
  command: string,
  without: readonly string[],
): Promise<ImageRelease> {
  const made = { ...others, stack: withoutVolumes(stack, without) };
  await carryOver(parts, made, ownerOf(parts, made.deployment, appService));
  return {
    ...imageSpec(parts, made, image, command),
    owner: ownerOf(parts, made.deployment, 'release'),
    // Files in its container are discarded, but writing them need not fail.
    confinement: { writableRoot: made.config.readOnly !== true },
  };
}

function imageSpec(
  parts: Parts,
  { deployment, config, stack, recipe }: Made,
  built: ServiceImage,
  command: string | null,
): ImageRelease {
  const { image, imageId, port } = built;
  const ceiling = ceilingOf(parts, config);
  const { memoryBytes, cpus } = limitsUnder(ceiling);
  return {
    owner: ownerOf(parts, deployment, appService),
    kind: 'image',
    image,
    imageId,
    listensOn: port,
    // Replaces the image's own entrypoint.
    ...(command !== null && { entrypoint: ['/bin/sh', '-c'], command: [command] }),
    // Project variables win, except for PORT.
    env: { HOST: '0.0.0.0', ...variablesOf(config), PORT: String(port) },
    secretKeys: secretsOf(config),
    ...(memoryBytes && { memoryBytes }),
    ...(cpus && { cpus }),
    ...healthCheckPace(ceiling),
    confinement: confinementOf({ config, recipe }),
    service: appOptions(edgeKey(deployment), mountsOf(stack, appOf(stack), noFiles)),
  };
}

/** An app mounts no files of its source: its image contains them. */
const noFiles = (path: string): never => {
  throw new Error(`${path} is not a volume`);
};

function confinementOf({ config, recipe }: Pick<Made, 'config' | 'recipe'>): Confinement {
  if (!config.readOnly) return { writableRoot: true };
  const memory = recipe.image?.readOnly?.memory;
  return { writableRoot: false, ...(memory && { memory }) };
}

const ownerOf = (parts: Parts, deployment: DeploymentRow, service: string): Owner => ({
  instanceId: parts.instanceId,
  organizationId: deployment.organizationId,
  projectId: deployment.projectId,
  deploymentId: deployment.id,
  service,
  fence: deployment.fence,
});

const variablesOf = ({ variables }: DeploymentConfig) =>
  Object.fromEntries(variables.map(({ key, value }) => [key, value]));

const secretsOf = ({ variables }: DeploymentConfig) => variables.filter(({ secret }) => secret).map(({ key }) => key);
