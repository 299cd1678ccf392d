import {
  BuildFailedError,
  BuildRefusedError,
  ImageTimeoutError,
  PullFailedError,
} from '../../../drivers/images/errors.ts';
import type { BuildRequest, BuiltImage, RunOptions } from '../../../drivers/images/images.ts';
import { imageOwner, requireContainers } from '../artifact.ts';
import { engineFull, tookTooLong } from '../failure.ts';
import { StepError } from '../model.ts';
import type { StepContext } from './step.ts';

/** Who hears of a build or pull, and who may end it. */
export type Listener = Pick<StepContext, 'signal' | 'log'>;

type Shared = Required<Pick<BuildRequest, 'owner' | 'args' | 'secrets' | 'credentials'>>;

/** What every build of a deployment gets: the project's build-time variables, and the passwords of registries. */
export async function sharedRequest({ parts, deployment, config }: StepContext, service = 'app'): Promise<Shared> {
  const { images } = requireContainers(parts);
  const variables = config.variables.filter(({ buildTime }) => buildTime);
  const valuesOf = (isSecret: boolean) =>
    Object.fromEntries(variables.filter(({ secret }) => secret === isSecret).map(({ key, value }) => [key, value]));
  return {
    owner: { ...imageOwner(parts, deployment), service },
    args: valuesOf(false),
    secrets: (await images.usesBuildKit()) ? valuesOf(true) : {},
    credentials: await parts.registryLoginsOf(deployment.organization_id),
  };
}

/** Builds; what goes wrong is in words for the person who deploys. */
export function runBuild({ parts }: StepContext, request: BuildRequest, listener: Listener): Promise<BuiltImage> {
  const { images } = requireContainers(parts);
  return inWords(parts.timeouts.buildMs, images.build(request, runOptions(parts.timeouts.buildMs, listener)));
}

export const runOptions = (deadlineMs: number, { signal, log }: Listener): RunOptions => ({
  signal,
  deadlineMs,
  onLine: (line, stream) => log(line, 'info', stream),
});

/** The engine's reasons, for the person who deploys. */
export async function inWords<T>(deadlineMs: number, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw reasonOf(error as Error, deadlineMs);
  }
}

function reasonOf(error: Error, deadlineMs: number): Error {
  if (error instanceof ImageTimeoutError) return tookTooLong('build', deadlineMs);
  if (error instanceof PullFailedError || isBaseMissing(error)) return pullFailed(error.message);
  if (error instanceof BuildRefusedError) return new StepError('build_refused', error.message);
  if (!(error instanceof BuildFailedError)) return error;
  if (error.diskFull) return engineFull();
  return new StepError('build_failed', error.message, 'The last lines of the build log say why.');
}

export const pullFailed = (message: string) =>
  new StepError(
    'pull_failed',
    message,
    'Check the name of the image and that its registry can be reached; for a private one, add a login for its registry.',
  );

/** BuildKit fetches what a build begins with itself, and says so in these words. */
const isBaseMissing = (error: Error): boolean =>
  error instanceof BuildFailedError &&
  /^(?:load metadata for|pull access denied|failed to resolve source)/.test(error.message);
