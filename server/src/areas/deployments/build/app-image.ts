import type { AppBuild, ComposeService } from '../../../compose/index.ts';
import type { Detection } from '../../../detect/detect.ts';
import { StepError, type DeploymentVariable } from '../model/model.ts';
import { imagePlan } from '../stack/image-plan.ts';
import type { ImagePlan } from '../model/recipe.ts';
import type { StepContext } from '../model/step.ts';
import { siteServer } from './app-image-site.ts';
import { insideSource } from '../contents/source.ts';

/** A part of a source without a Dockerfile, built as a service. */
export interface AppOptions {
  service: ComposeService;
  app: AppBuild;
  /** Folder of the source. */
  folder: string;
  log: StepContext['log'];
}

/** Plans the image of an app from its service's settings, or else from its files. */
export async function appImagePlan(context: StepContext, options: AppOptions): Promise<ImagePlan> {
  const { parts, deployment } = context;
  const { service, app, folder, log } = options;
  await requireFolder(folder, app.rootDirectory);
  const found = withOwn(await parts.detect(folder, app.rootDirectory), app);
  for (const reason of found.reasons) log(reason);
  const settings = { ...app, variables: variablesOf(context, service) };
  const plan = imagePlan(found, settings, deployment.projectId);
  if (!plan) throw nothingToRun(app);
  if ('path' in plan.dockerfile) log(`Built with its own ${plan.dockerfile.path}`);
  return plan.site === null ? plan : { ...plan, ...siteServer(plan, found.fallback), site: null };
}

/**
 * Applies the service's overrides to a detection. Another package manager needs its own install command, which is not
 * known here.
 */
function withOwn(found: Detection, app: AppBuild): Detection {
  const isOther = app.packageManager !== null && app.packageManager !== found.packageManager;
  if (isOther && app.installCommand === null)
    throw new StepError(
      'build_refused',
      `${app.packageManager} does not match the lock file of the source (${found.packageManager ?? 'nothing'})`,
      'Set installCommand of the service too, or leave packageManager out.',
    );
  return {
    ...found,
    framework: app.framework ?? found.framework,
    packageManager: app.packageManager ?? found.packageManager,
  };
}

/** Builds see build-time variables only. PORT is always the port that the service listens on. */
function variablesOf({ config }: StepContext, { environment }: ComposeService): DeploymentVariable[] {
  const variables = config.variables.filter(({ buildTime, key }) => buildTime && key !== 'PORT');
  const port = environment['PORT'] ?? null;
  return port === null ? variables : [...variables, { key: 'PORT', value: port, secret: false, buildTime: false }];
}

export async function requireFolder(source: string, path: string): Promise<string> {
  const real = await insideSource(source, path);
  if (real !== undefined) return real;
  throw new StepError(
    'no_root_directory',
    `${path || 'the root'} is not a folder of the source`,
    'Set the folder of the service to one that the source has.',
  );
}

const nothingToRun = ({ rootDirectory }: AppBuild) =>
  new StepError(
    'nothing_to_run',
    `there is no app to start and no site to serve in ${rootDirectory || 'the root folder'}`,
    'Add a Dockerfile, a start script or an index.html, or set startCommand or outputDirectory of the service.',
  );
