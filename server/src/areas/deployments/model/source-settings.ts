import type { DeploymentConfig } from './model.ts';
import type { Recipe } from './recipe.ts';

/** With it, package managers leave out what the build needs. */
const notForBuilds = new Set(['NODE_ENV']);

/** Adds the settings that the source declares for other platforms; those of the project win. */
export function withSourceSettings(
  config: DeploymentConfig,
  recipe: Pick<Recipe, 'defaults' | 'generated' | 'healthPath'> | undefined,
): DeploymentConfig {
  const { defaults = [], generated = [], healthPath = null } = recipe ?? {};
  if (!defaults.length && !generated.length && healthPath === null) return config;
  const own = new Set(config.variables.map(({ key }) => key));
  const added = [
    ...defaults.map((each) => ({ ...each, secret: false, buildTime: !notForBuilds.has(each.key) })),
    ...generated.map((each) => ({ ...each, secret: true, buildTime: false })),
  ].filter(({ key }) => !own.has(key));
  return {
    ...config,
    variables: [...config.variables, ...added],
    healthCheck: { ...config.healthCheck, path: config.healthCheck.path ?? healthPath },
  };
}
