import { isDeepStrictEqual } from 'node:util';
import type { Built } from '../model/built.ts';
import type { DeploymentConfig } from '../model/model.ts';
import { isSiteRecipe, type Recipe } from '../model/recipe.ts';

/** Settings of the active release, and the current ones. */
type Comparison = { before: DeploymentConfig; after: DeploymentConfig; recipe: Recipe; built: Built | undefined };

const ofBuild = ['rootDirectory', 'installCommand', 'buildCommand', 'outputDirectory'] as const;

/** Returns the changed settings and variables that need a new build. */
export function buildReasons(comparison: Comparison): string[] {
  const { before, after } = comparison;
  const settings = ofBuild.filter((name) => before[name] !== after[name]);
  return [...settings, ...commandReasons(comparison), ...changedBuildVariables(before, after)];
}

function commandReasons({ before, after, recipe, built }: Comparison): string[] {
  const isChanged = (name: 'startCommand' | 'releaseCommand' | 'port') => before[name] !== after[name];
  // Cleared settings need detection again, and a generated Dockerfile contains the start command.
  const dockerfile = recipe.image?.dockerfile;
  const isInImage = dockerfile !== undefined && 'text' in dockerfile;
  const startNeedsBuild = after.startCommand === null || isSiteRecipe(recipe) || isInImage;
  return [
    ...(isChanged('startCommand') && startNeedsBuild ? ['startCommand'] : []),
    ...(isChanged('releaseCommand') && after.releaseCommand === null ? ['releaseCommand'] : []),
    ...(isChanged('port') && after.port === null && built?.kind === 'image' ? ['port'] : []),
  ];
}

function changedBuildVariables(before: DeploymentConfig, after: DeploymentConfig): string[] {
  const [valuesBefore, valuesAfter] = [before, after].map(
    ({ variables }) => new Map(variables.filter(({ buildTime }) => buildTime).map(({ key, value }) => [key, value])),
  );
  const keys = new Set([...valuesBefore!.keys(), ...valuesAfter!.keys()]);
  return [...keys]
    .filter((key) => valuesBefore!.get(key) !== valuesAfter!.get(key))
    .map((key) => `the variable ${key}`);
}

/** Whether a static site would change: at run time it only has addresses. */
export const changesSite = ({ before, after }: Pick<Comparison, 'before' | 'after'>): boolean =>
  before.slug !== after.slug || !isDeepStrictEqual(before.publicEndpoints, after.publicEndpoints);

/** Applies the current commands to the release's recipe. */
export const recipeOfNow = (recipe: Recipe, { startCommand, releaseCommand }: DeploymentConfig): Recipe => ({
  ...recipe,
  startCommand: startCommand ?? recipe.startCommand,
  ...(startCommand !== null && recipe.startProgram && { startProgram: null }),
  releaseCommand: releaseCommand ?? recipe.releaseCommand,
});

export const builtOfNow = (built: Built, { port }: DeploymentConfig): Built =>
  built.kind === 'image' && port !== null ? { ...built, port } : built;
