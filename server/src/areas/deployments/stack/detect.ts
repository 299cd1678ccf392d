import { insideSource } from '../contents/source.ts';
import { appStack, newAppState } from './app.ts';
import { type DeploymentConfig, StepError } from '../model/model.ts';
import { type DetectionHints, isRootSite, isSiteRecipe, type RecipeNeeds, type Recipe } from '../model/recipe.ts';
import { hasNoPublicService } from '../../projects/port.ts';
import type { Detection } from '../../../detect/detect.ts';
import { AppError } from '../../../errors.ts';
import { detectionHintsOf, monorepoSentence, unsetSentence } from './detection-hints.ts';
import { generatedSecrets } from './generated-secrets.ts';
import { declareVolumes } from './mooring-file.ts';
import { findServices } from './read/find-services.ts';
import { imagePlan, ownDockerfile } from './image-plan.ts';
import { withSourceSettings } from '../model/source-settings.ts';
import { commandAtStart, volumeWarnings } from './volume-warnings.ts';
import type { Step, StepContext } from '../model/step.ts';

export const detectStep: Step = {
  name: 'detect',
  // A stack needs more time, because every file is read.
  deadlineMs: ({ parts }) => Math.max(30_000, parts.timeouts.buildMs / 4),
  async run(context) {
    const { parts, config, deployment, log } = context;
    const folder = parts.folders.release(deployment.artifactId);
    await requireRootInside(folder, config.rootDirectory);
    const found = await parts.detect(folder, config.rootDirectory).catch(notDetected);
    await declareVolumes(context);
    if (await findServices(context, found)) return { services: true, framework: null };
    for (const reason of found.reasons) if (parts.containers || !isVersion(found, reason)) log(reason);
    for (const warning of warningsOfApp(config)) log(warning, 'warn');
    const generated = await generatedSecrets(context, found);
    const losses = await volumeWarnings(context, found);
    for (const warning of losses) log(warning, 'warn');
    const hints = { ...detectionHintsOf(found, config), losses };
    const unset = unsetSentence(hints);
    if (unset) log(unset, 'warn');
    const settled = withSourceSettings(config, { defaults: found.defaults, healthPath: found.healthPath, generated });
    const recipe = await recipeOf({ ...context, config: settled }, found);
    if (recipe.image && 'path' in recipe.image.dockerfile) log(`Built with its own ${recipe.image.dockerfile.path}`);
    if (recipe.startCommand) log(`Starts with: ${recipe.startCommand}`);
    else if (isSiteRecipe(recipe)) log(`A static site in ${folderName(recipe)}; it needs no process`);
    else if (!recipe.image) throw nothingToRun(found, hints, config.slug);
    const known = context.stack.states.all().filter(({ isApp }) => isApp);
    const stack = appStack(deployment.id, settled, { ...recipe, ...(generated.length && { generated }) });
    await context.stack.begin(stack, known.length ? known : [newAppState()]);
    return { ...recipe, framework: found.framework, hints };
  },
};

/** The version of the image. A build on this machine says which version it uses. */
const isVersion = ({ languageRequest: request, languageVersion }: Detection, reason: string): boolean =>
  request !== null && reason.startsWith(`${request.from}: `) && reason.endsWith(` ${languageVersion}`);

/** Reports errors that the source causes. */
function notDetected(error: unknown): never {
  if (!(error instanceof AppError)) throw error;
  throw new StepError('not_detected', error.message, 'Change the source and deploy it again.');
}

function nothingToRun({ dockerfile, reasons }: Detection, hints: DetectionHints, slug: string): StepError {
  // For example, an adapter for another platform.
  const why = reasons.find((reason) => /nothing to start|outside the app's folder/.test(reason));
  const nothing = dockerfile
    ? `${dockerfile} needs Docker, and this machine has none`
    : 'there is no app to start and no site to serve';
  return new StepError(
    'nothing_to_run',
    why ? `${nothing}. ${why}` : nothing,
    monorepoSentence(hints) ??
      'Add a start script to package.json or an index.html, or set the command or the folder of the site: ' +
        `mooring project set ${slug} startCommand="...", or outputDirectory=<folder>.`,
  );
}

/** A link in the source must not make a folder outside it the app. */
export async function requireRootInside(release: string, rootDirectory: string): Promise<void> {
  if ((await insideSource(release, rootDirectory)) !== undefined) return;
  throw new StepError(
    'no_root_directory',
    `${rootDirectory} is not a folder of the source`,
    'Set the folder of the source that the app is in: mooring project set <project> rootDirectory=<folder>.',
  );
}

const folderName = (recipe: Recipe) => (isRootSite(recipe) ? 'the root folder' : recipe.outputDirectory);

async function recipeOf(context: StepContext, found: Detection): Promise<Recipe> {
  const { parts, config, deployment, log } = context;
  const isOwn = parts.containers !== undefined && ownDockerfile(found, config) !== null;
  const isStatic = !isOwn && !config.startCommand && (config.outputDirectory !== null || !found.startCommand);
  const commands = {
    installCommand: config.installCommand ?? found.installCommand,
    buildCommand: config.buildCommand ?? found.buildCommand,
  };
  // A site without a build is only copied, which needs no container.
  const isPlain = isStatic && !commands.installCommand && !commands.buildCommand;
  const atStart = isOwn || isStatic || !parts.containers ? null : await commandAtStart(context, found);
  if (atStart !== null)
    log(
      `The app runs \`${atStart}\` at each start: its database is the file ${found.databaseFile!.path} in its container`,
    );
  const image = isPlain || !parts.containers ? undefined : imagePlan(found, config, deployment.projectId, atStart);
  return {
    ...commands,
    startCommand: isStatic ? null : (config.startCommand ?? (isOwn ? null : found.startCommand)),
    startProgram: isStatic || config.startCommand ? null : found.startProgram,
    releaseCommand: atStart === null ? (config.releaseCommand ?? found.releaseCommand) : null,
    outputDirectory: isStatic ? (config.outputDirectory ?? found.outputDirectory) : null,
    fallback: found.fallback,
    image: image ?? null,
    ...(!image && !isPlain && { needs: needsOf(found) }),
    ...(found.defaults.length && { defaults: found.defaults }),
    ...(found.healthPath !== null && { healthPath: found.healthPath }),
  };
}

const needsOf = (found: Detection): RecipeNeeds => ({
  language: found.language,
  languageVersion: found.languageVersion,
  languageRequest: found.languageRequest,
  packageManager: found.packageManager,
  packageManagerVersion: found.packageManagerVersion,
  otherLanguages: found.otherLanguages,
  packages: [...new Set([...found.systemPackages, ...found.buildPackages])],
});

/** Warns about endpoints that an app cannot provide: it is one process with one port. */
export function warningsOfApp({ publicEndpoints = [] }: Pick<DeploymentConfig, 'publicEndpoints'>): string[] {
  const ports = new Set(publicEndpoints.flatMap((each) => each.port ?? []));
  const services = new Set(publicEndpoints.flatMap((each) => each.service ?? []));
  const warnings: string[] = [];
  if (hasNoPublicService(publicEndpoints))
    warnings.push(
      'publicEndpoints say that nothing is public; this has an effect on compose stacks only, and the app is public',
    );
  if (ports.size > 1)
    warnings.push(
      `publicEndpoints name the ports ${[...ports].join(', ')}; an app has one port, and all requests go there`,
    );
  if (services.size)
    warnings.push(
      `publicEndpoints name ${[...services].join(', ')}; this app has no services, so these entries are ignored`,
    );
  return warnings;
}
