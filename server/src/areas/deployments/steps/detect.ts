import type { Detection } from '../../../detect/detect.ts';
import { StepError } from '../model.ts';
import type { Step } from './step.ts';

/** How the release is built and started: what the project says, and what its files say where it does not. */
export type Recipe = {
  installCommand: string | null;
  buildCommand: string | null;
  startCommand: string | null;
  /** Set for a site that needs no process. */
  outputDirectory: string | null;
  fallback: string | null;
};

export const detect: Step = {
  name: 'detect',
  deadlineMs: () => 30_000,
  async run({ parts, config, deployment, log }) {
    const found = await parts.detect(parts.folders.release(deployment.artifact_id), config.rootDirectory);
    for (const reason of found.reasons) log(reason);
    const recipe = recipeOf(found, config);
    if (recipe.startCommand) log(`Starts with: ${recipe.startCommand}`);
    else if (recipe.outputDirectory !== null)
      log(
        `A static site in ${['', '.'].includes(recipe.outputDirectory) ? 'the root folder' : recipe.outputDirectory}; it needs no process`,
      );
    else
      throw new StepError(
        'nothing_to_run',
        'there is nothing to start and no site to serve',
        'Add a start script to package.json or an index.html, or set startCommand or outputDirectory of the project.',
      );
    return { ...recipe, framework: found.framework };
  },
};

type Settings = {
  installCommand: string | null;
  buildCommand: string | null;
  startCommand: string | null;
  outputDirectory: string | null;
};

function recipeOf(found: Detection, settings: Settings): Recipe {
  const isStatic = !settings.startCommand && (settings.outputDirectory !== null || !found.startCommand);
  return {
    installCommand: settings.installCommand ?? found.installCommand,
    buildCommand: settings.buildCommand ?? found.buildCommand,
    startCommand: isStatic ? null : (settings.startCommand ?? found.startCommand),
    outputDirectory: isStatic ? (settings.outputDirectory ?? found.outputDirectory) : null,
    fallback: found.fallback,
  };
}
