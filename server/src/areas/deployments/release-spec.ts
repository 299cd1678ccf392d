import { join } from 'node:path';
import type { ImageRelease, Owner, ReleaseSpec } from '../../drivers/runtime/runtime.ts';
import type { Built, BuiltImage } from './artifact.ts';
import type { DeploymentConfig } from './model.ts';
import type { Parts } from './parts.ts';
import type { DeploymentRow } from './store.ts';
import type { Recipe } from './steps/detect.ts';

type Made = { deployment: DeploymentRow; config: DeploymentConfig; recipe: Recipe };

/** Everything that the runtime needs to start the release, now or after a reboot. */
export function releaseSpec(parts: Parts, made: Made, built: Built | undefined): ReleaseSpec {
  const { deployment, config, recipe } = made;
  if (built?.kind === 'image') {
    // Our own Dockerfile has it already.
    const isInImage = recipe.image === null || 'text' in recipe.image.dockerfile;
    return imageSpec(parts, made, built, isInImage ? null : recipe.startCommand);
  }
  return {
    owner: ownerOf(parts, deployment, 'app'),
    kind: 'folder',
    folder: join(parts.folders.release(deployment.artifact_id), config.rootDirectory),
    command: recipe.startCommand!,
    env: { NODE_ENV: 'production', ...variablesOf(config) },
    secretKeys: secretsOf(config),
    projectNumber: config.projectNumber,
    ...(config.memoryBytes && { memoryBytes: config.memoryBytes }),
  };
}

/** A command that runs once in a container of the release. */
export const onceSpec = (parts: Parts, made: Made, built: BuiltImage, command: string): ImageRelease => ({
  ...imageSpec(parts, made, built, command),
  owner: ownerOf(parts, made.deployment, 'release'),
});

function imageSpec(
  parts: Parts,
  { deployment, config }: Made,
  { image, imageId, port }: BuiltImage,
  command: string | null,
): ImageRelease {
  return {
    owner: ownerOf(parts, deployment, 'app'),
    kind: 'image',
    image,
    imageId,
    listensOn: port,
    // In place of whatever the image would do.
    ...(command !== null && { entrypoint: ['/bin/sh', '-c'], command: [command] }),
    env: variablesOf(config),
    secretKeys: secretsOf(config),
    ...(config.memoryBytes && { memoryBytes: config.memoryBytes }),
    ...(config.cpus && { cpus: config.cpus }),
    confinement: { writableRoot: !config.readOnly },
  };
}

const ownerOf = (parts: Parts, deployment: DeploymentRow, service: string): Owner => ({
  instanceId: parts.instanceId,
  organizationId: deployment.organization_id,
  projectId: deployment.project_id,
  deploymentId: deployment.id,
  service,
  fence: deployment.fence,
});

const variablesOf = ({ variables }: DeploymentConfig) =>
  Object.fromEntries(variables.map(({ key, value }) => [key, value]));

const secretsOf = ({ variables }: DeploymentConfig) => variables.filter(({ secret }) => secret).map(({ key }) => key);
