import type { BuiltStack } from '../model/built.ts';
import type { ComposeService } from '../../../compose/index.ts';
import { StepError } from '../model/model.ts';
import type { BuildListener } from './image-request.ts';
import type { StepContext } from '../model/step.ts';
import type { Parts } from '../model/parts.ts';
import { failedServicesSentence, type ServiceImage, type ServiceState, type Stack } from '../model/stack.ts';
import { type RunningService, runningServices } from '../stack/running-services.ts';
import { isServiceImageThere, serviceImageMaker } from './service-images/service-images.ts';

/** Makes the images of all services. A failed one does not stop the others. */
export async function buildServices(context: StepContext): Promise<BuiltStack> {
  const { parts, deployment, stack } = context;
  const { wanted, states } = stack;
  const folder = parts.folders.release(deployment.artifactId);
  const seen = await runningServices(context);
  const make = serviceImageMaker(context, { stack: wanted, folder });
  const outcomes = await Promise.allSettled(
    wanted.project.services.map((service) => makeImage(context, service, seen.get(service.name), make)),
  );
  // Rethrows only after every service has settled.
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  const broken = states.all().filter(({ status }) => status === 'failed');
  if (broken.length && broken.length === states.all().length)
    throw new StepError(broken[0]!.error!.code, failedServicesSentence(broken), broken[0]!.error!.hint);
  // The images and the stored contents have everything the services need.
  await parts.folders.remove(deployment.artifactId);
  return { kind: 'stack', bytes: states.all().reduce((sum, { image }) => sum + (image?.bytes ?? 0), 0) };
}

/** Whether a rollback to this deployment needs no build. */
export async function areImagesThere(
  parts: Parts,
  { stack, states }: { stack: Stack; states: readonly ServiceState[] },
) {
  for (const { name } of stack.project.services) {
    const image = states.find((state) => state.name === name)?.image;
    if (!image || !(await isServiceImageThere(parts, image))) return false;
  }
  return true;
}

/** The same for a deployment under way; images that could not be made are ignored. */
export async function areMadeImagesThere(parts: Parts, states: readonly ServiceState[]): Promise<boolean> {
  for (const { image } of states) if (image && !(await isServiceImageThere(parts, image))) return false;
  return true;
}

async function makeImage(
  context: StepContext,
  service: ComposeService,
  before: RunningService | undefined,
  make: ReturnType<typeof serviceImageMaker>,
): Promise<void> {
  const { stack } = context;
  const { name } = service;
  const known = await stillGood(context, service, before);
  if (known) {
    await stack.states.set(name, { image: known, status: 'waiting', error: null });
    return;
  }
  const log: BuildListener['log'] = (line, level, stream) => context.log(line, level, stream, name);
  try {
    await stack.states.set(name, { status: 'building', error: null });
    const image = await make(service, { log, signal: context.signal });
    await stack.states.set(name, { status: 'waiting', image });
  } catch (error) {
    if (!(error instanceof StepError)) throw error;
    log(`${name} failed: ${error.message}`, 'error');
    const { code, message, hint } = error;
    await stack.states.set(name, { status: 'failed', error: { code, message, hint } });
  }
}

/** Returns the running version's image if nothing about it has changed, or the image that an earlier attempt made. */
async function stillGood(
  { parts, stack, attempt, config }: StepContext,
  { name, pullPolicy }: ComposeService,
  before: RunningService | undefined,
): Promise<ServiceImage | undefined> {
  const made = attempt > 1 ? stack.states.of(name).image : null;
  if (made && (await isServiceImageThere(parts, made))) return made;
  if (!before?.image) return undefined;
  const isUnchanged = before.digest === stack.wanted.digests[name] && pullPolicy !== 'always';
  const isReused = config.reuseImages && before.imageDigest && before.imageDigest === stack.wanted.images?.[name];
  if (!isUnchanged && !isReused) return undefined;
  return (await isServiceImageThere(parts, before.image)) ? before.image : undefined;
}
