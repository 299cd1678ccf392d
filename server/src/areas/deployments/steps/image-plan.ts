import type { Detection } from '../../../detect/detect.ts';
import type { ReadOnly } from '../../../dockerfile/dockerfile.ts';
import { buildContext, generateDockerfile } from '../../../dockerfile/index.ts';
import type { DeploymentConfig } from '../model.ts';

/** How the image of a release is built. */
export type ImagePlan = {
  /** Folder of the source that the build sees. */
  context: string;
  /** The source's own, inside of the context, or one of ours. */
  dockerfile: { path: string } | { text: string };
  /** For a source without one. */
  dockerignore: string | null;
  /** Where the image has a site that needs no process: it is copied out, and the image goes. */
  site: string | null;
  /** Whether its root can be read-only. Plans that were made before this was noted have none: they write. */
  readOnly?: ReadOnly & { /** It was so, and the app could not do with it. */ isRefused?: boolean };
  /** Where it listens: what the project says, and what is likely where nobody says anything. */
  port: { said: number | null; likely: number };
  notices: string[];
};

/** For an app that goes by PORT. */
const usualPort = 8080;

type Settings = Pick<
  DeploymentConfig,
  'rootDirectory' | 'installCommand' | 'buildCommand' | 'startCommand' | 'outputDirectory' | 'variables' | 'port'
>;

/** A Dockerfile of the source counts, unless the project says itself how it is built. */
export const ownDockerfile = ({ dockerfile }: Detection, config: Settings): string | null =>
  config.installCommand === null && config.buildCommand === null && config.outputDirectory === null ? dockerfile : null;

/** Undefined when there is nothing to build: nothing is known, or a site that is served as it is. */
export function imagePlan(
  found: Detection,
  config: Settings,
  { projectId, buildKit }: { projectId: string; buildKit: boolean },
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
      notices: [],
    };
  const { context, folder } = buildContext(found, config.rootDirectory);
  const names = (isSecret: boolean) =>
    config.variables.filter(({ buildTime, secret }) => buildTime && secret === isSecret).map(({ key }) => key);
  const made = generateDockerfile(found, {
    ...config,
    folder,
    buildKit: buildKit ? { cacheScope: projectId } : null,
    variables: names(false),
    secrets: names(true),
  });
  if (!made) return undefined;
  const { dockerfile, dockerignore, site, readOnly, notices } = made;
  return { context, dockerfile: { text: dockerfile }, dockerignore, site, readOnly, port, notices };
}

/** Who sets PORT for an app means the port that it listens on. */
function portVariable({ variables }: Settings): number | null {
  const port = Number(variables.find(({ key }) => key === 'PORT')?.value);
  return Number.isInteger(port) && port > 0 && port < 65_536 ? port : null;
}
