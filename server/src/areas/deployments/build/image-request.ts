import {
  BuildFailedError,
  BuildRefusedError,
  ImageTimeoutError,
  PullFailedError,
} from '../../../drivers/images/errors.ts';
import { RegistryError } from '../../../drivers/images/registry/image-registry.ts';
import type { BuildRequest, BuiltImage, RunOptions } from '../../../drivers/images/images.ts';
import { imageOwner, requireContainers } from '../model/artifact.ts';
import { type CrashExcerpt, crashExcerpt } from '../model/crash-excerpt.ts';
import { rememberLines, withReason } from './crash-report.ts';
import { knownCause } from './causes/index.ts';
import { fixBuild, fixHint } from './fix-hint.ts';
import { engineFull, registryFailed, tookTooLong } from '../model/failure.ts';
import { StepError } from '../model/model.ts';
import type { StepContext } from '../model/step.ts';

/** Log and abort signal of a build or pull. */
export type BuildListener = Pick<StepContext, 'signal' | 'log'>;

type Shared = Required<Pick<BuildRequest, 'owner' | 'args' | 'secrets' | 'credentials'>>;

/** Returns what every build of a deployment gets: build-time variables and registry credentials. */
export async function sharedRequest({ parts, deployment, config }: StepContext, service = 'app'): Promise<Shared> {
  const variables = config.variables.filter(({ buildTime }) => buildTime);
  const valuesOf = (isSecret: boolean) =>
    Object.fromEntries(variables.filter(({ secret }) => secret === isSecret).map(({ key, value }) => [key, value]));
  return {
    owner: { ...imageOwner(parts, deployment), service },
    args: valuesOf(false),
    secrets: valuesOf(true),
    credentials: await parts.registryLoginsOf(deployment.organizationId),
  };
}

/** Builds an image; errors are worded for the person who deploys. */
export async function runImageBuild(
  { parts, config }: StepContext,
  request: BuildRequest,
  { signal, log }: BuildListener,
): Promise<BuiltImage> {
  const { images } = requireContainers(parts);
  const remembered = rememberLines(log);
  const options = runOptions(parts.timeouts.buildMs, { signal, log: remembered.log });
  try {
    return await images.build(request, options);
  } catch (error) {
    const isGenerated = 'text' in request.dockerfile;
    throw reasonOf(error as Error, parts.timeouts.buildMs, remembered.excerpt, config, isGenerated);
  }
}

export const runOptions = (deadlineMs: number, { signal, log }: BuildListener): RunOptions => ({
  signal,
  deadlineMs,
  onLine: (line, stream) => log(line, 'info', stream),
});

/** Rewords the engine's errors for the person who deploys. */
export async function withBuildErrors<T>(deadlineMs: number, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw reasonOf(error as Error, deadlineMs);
  }
}

function reasonOf(
  error: Error,
  deadlineMs: number,
  output: () => CrashExcerpt | null = () => null,
  config?: StepContext['config'],
  isGenerated = false,
): Error {
  if (error instanceof ImageTimeoutError) return tookTooLong('build', deadlineMs);
  if (error instanceof PullFailedError || isBaseMissing(error)) return pullFailed(error.message);
  if (error instanceof RegistryError) return registryFailed(error);
  if (error instanceof BuildRefusedError) return new StepError('build_refused', error.message);
  if (!(error instanceof BuildFailedError)) return error;
  if (error.diskFull) return engineFull();
  // If no RUN command failed, the engine's message is the reason.
  const excerpt = error.exitCode === undefined ? null : explained(error, output);
  const [first = ''] = error.message.split('\n');
  const failed = { step: 'build' as const, excerpt, exitCode: error.exitCode ?? null };
  const said = excerpt?.output ?? error.message.split('\n');
  // A Dockerfile of the source declares its variables itself.
  const hint = isGenerated
    ? fixHint(failed, config!)
    : ((config && knownCause(said, { slug: config.slug, isBuild: true })) ?? fixBuild);
  return new StepError('build_failed', withReason(first, excerpt), hint, excerpt?.lines);
}

/** Prefers output of the failed step, because other steps print at the same time. */
function explained({ lastLines }: BuildFailedError, output: () => CrashExcerpt | null): CrashExcerpt | null {
  const own = crashExcerpt(lastLines);
  return own?.isError ? own : (output() ?? own);
}

export const pullFailed = (message: string) =>
  new StepError(
    'pull_failed',
    message,
    'Check the name of the image and that its registry can be reached; for a private one, add a login for its registry.',
  );

/** BuildKit pulls base images itself and reports failures in these words. */
const isBaseMissing = (error: Error): boolean =>
  error instanceof BuildFailedError &&
  /^(?:load metadata for|pull access denied|failed to resolve source)/.test(error.message);
