import { isDeepStrictEqual } from 'node:util';
import type { Built } from '../model/built.ts';
import type { DeploymentConfig } from '../model/model.ts';
import { isSiteRecipe, type Recipe } from '../model/recipe.ts';

/** What the active release was made with, and what is set now. */
type Comparison = { before: DeploymentConfig; after: DeploymentConfig; recipe: Recipe; built: Built | undefined };

const ofBuild = ['rootDirectory', 'installCommand', 'buildCommand', 'outputDirectory'] as const;

/** The changes that the artifact of the active release cannot carry out, by the names of their settings and variables. */
export function buildReasons(comparison: Comparison): string[] {
  const { before, after } = comparison;
  const settings = ofBuild.filter((name) => before[name] !== after[name]);
  return [...settings, ...commandReasons(comparison), ...changedBuildVariables(before, after)];
}

function commandReasons({ before, after, recipe, built }: Comparison): string[] {
  const isChanged = (name: 'startCommand' | 'releaseCommand' | 'port') => before[name] !== after[name];
  // Detection has to run again for what nobody sets any more; our own Dockerfile has the start command in it.
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

/** Whether anything of a site without a process would be another one: all that it has at run time is its addresses. */
export const changesSite = ({ before, after }: Pick<Comparison, 'before' | 'after'>): boolean =>
  before.slug !== after.slug || !isDeepStrictEqual(before.publicEndpoints, after.publicEndpoints);

/** The recipe of the release with the commands that are set now. */
export const recipeOfNow = (recipe: Recipe, { startCommand, releaseCommand }: DeploymentConfig): Recipe => ({
  ...recipe,
  startCommand: startCommand ?? recipe.startCommand,
  ...(startCommand !== null && recipe.startProgram && { startProgram: null }),
  releaseCommand: releaseCommand ?? recipe.releaseCommand,
});

export const builtOfNow = (built: Built, { port }: DeploymentConfig): Built =>
  built.kind === 'image' && port !== null ? { ...built, port } : built;
