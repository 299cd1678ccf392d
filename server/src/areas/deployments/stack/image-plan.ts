import type { ImagePlan } from '../model/recipe.ts';
import type { Detection } from '../../../detect/detect.ts';
import { buildContext, generateDockerfile } from '../../../dockerfile/index.ts';
import type { DeploymentConfig } from '../model/model.ts';

/** Default for an app that reads PORT. */
const usualPort = 8080;

type Settings = Pick<
  DeploymentConfig,
  'rootDirectory' | 'installCommand' | 'buildCommand' | 'startCommand' | 'outputDirectory' | 'variables' | 'port'
>;

/** Returns the source's Dockerfile, unless the project's settings define the build. */
export const ownDockerfile = ({ dockerfile }: Detection, config: Settings): string | null =>
  config.installCommand === null && config.buildCommand === null && config.outputDirectory === null ? dockerfile : null;

/** Plans the image; undefined if there is nothing to build. */
export function imagePlan(
  found: Detection,
  config: Settings,
  projectId: string,
  beforeStart: string | null = null,
): ImagePlan | undefined {
  const port = { said: config.port ?? portVariable(config), likely: found.port ?? usualPort };
  const own = ownDockerfile(found, config);
  if (own !== null)
    return {
      context: config.rootDirectory,
      dockerfile: { path: own },
      dockerignore: null,
      site: null,
      port,
    };
  const { context, folder } = buildContext(found, config.rootDirectory);
  const names = (isSecret: boolean) =>
    config.variables.filter(({ buildTime, secret }) => buildTime && secret === isSecret).map(({ key }) => key);
  const made = generateDockerfile(found, {
    ...config,
    folder,
    cacheScope: projectId,
    beforeStart,
    variables: names(false),
    secrets: names(true),
  });
  if (!made) return undefined;
  const { dockerfile, dockerignore, site, readOnly } = made;
  return { context, dockerfile: { text: dockerfile }, dockerignore, site, readOnly, port };
}

/** A PORT variable sets the port that the app listens on. */
function portVariable({ variables }: Settings): number | null {
  const port = Number(variables.find(({ key }) => key === 'PORT')?.value);
  return Number.isInteger(port) && port > 0 && port < 65_536 ? port : null;
}
