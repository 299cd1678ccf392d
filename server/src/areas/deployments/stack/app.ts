import { join } from 'node:path';
import { readServiceEntries } from '../../../compose/index.ts';
import type { Built } from '../model/built.ts';
import type { DeploymentConfig } from '../model/model.ts';
import { isSiteRecipe, type Recipe } from '../model/recipe.ts';
import { appService, newServiceState, type ServiceState, type Stack } from '../model/stack.ts';

const onlyApp = readServiceEntries(appService, [{ name: appService }]);

/** Returns an app as a stack of one service. Its digest is the deployment's id, so each deployment replaces it. */
export function appStack(deploymentId: string, config: DeploymentConfig, recipe: Recipe): Stack {
  return {
    project: { ...onlyApp, name: config.slug },
    digests: { [appService]: deploymentId },
    contents: {},
    secrets: config.variables.filter(({ secret, value }) => secret && value).map(({ value }) => value),
    app: recipe,
  };
}

export const newAppState = (): ServiceState => ({ ...newServiceState(appService), isApp: true });

/** Converts a build result to the artifact in the service's state. */
export function appArtifact(
  built: Built | undefined,
  { rootDirectory }: Pick<DeploymentConfig, 'rootDirectory'>,
  recipe: Recipe,
): Pick<ServiceState, 'image' | 'folder'> {
  if (built?.kind === 'image') {
    const { image, imageId, bytes, port, volumes = [] } = built;
    const facts = { isOwn: true, ports: [port], volumes, hasHealthcheck: false };
    return { image: { image, imageId, bytes, port, ...facts } };
  }
  // Releases of older versions did not record the folder of a site; their recipe has it.
  const site = isSiteRecipe(recipe) ? (built?.site ?? join(rootDirectory, recipe.outputDirectory ?? '')) : null;
  return { image: null, folder: { kind: 'folder', bytes: 0, ...built, site } };
}
