import { EngineError } from '../../../../drivers/runtime/docker/engine/errors.ts';
import { EngineAwayError } from '../../../../drivers/runtime/errors.ts';
import type { CurrentOriginal, OriginalState } from '../../../../drivers/runtime/docker/originals/originals.ts';
import { requireContainers } from '../../model/artifact.ts';
import { StepError } from '../../model/model.ts';
import type { StepContext } from '../../model/step.ts';
import { withoutMarks, markedHeld, originalsOfService, type Original, originalTitle } from '../../model/originals.ts';
import { updateOriginal, originalsFor } from '../../model/originals-store.ts';
import { lastingFiles, staysInOriginal, wroteOutside } from '../../release/stray-writes.ts';

/** Rejects containers that could not be restored, before anything changes. */
export async function requireKept(context: StepContext, service: string): Promise<void> {
  for (const { now, original } of await those(context, service))
    if (now?.isRemovedAtItsEnd && now.state !== 'stopped')
      throw new StepError(
        'original_not_kept',
        `the container ${original.name} was started with --rm, so stopping it would delete it`,
        'Start it again without --rm, then take it over. It keeps running.',
      );
}

/** Warns of files that the new container does not have. */
export async function warnOfWrittenFiles(context: StepContext, service: string): Promise<void> {
  const { parts, log } = context;
  for (const { original } of await those(context, service)) {
    const title = originalTitle(original);
    try {
      const folders = lastingFiles(await requireContainers(parts).originals.writtenFiles(original.containerId));
      if (folders.length) log(`the ${title} ${wroteOutside(folders)}. ${staysInOriginal}`, 'warn', 'stdout', service);
    } catch (error) {
      // The confirmation looks again before anything is removed.
      if (!(error instanceof EngineError)) throw error;
      log(
        `the files of the ${title} outside its volumes cannot be listed: ${error.message}`,
        'warn',
        'stdout',
        service,
      );
    }
  }
}

/** Stops the original containers of a service, after recording each in the database. */
export async function holdOriginals(context: StepContext, service: string): Promise<void> {
  const { parts, db, deployment, log, checkLease } = context;
  for (const { original, now } of await those(context, service)) {
    const { containerId, held } = original;
    const title = originalTitle(original);
    if (!now) {
      log(`the ${title} no longer exists; nothing to stop`, 'warn', 'stdout', service);
      continue;
    }
    const isNoted = held?.by === deployment.id;
    await checkLease();
    if (!isNoted) {
      const was = wasOf(original, now);
      const by = deployment.id;
      await updateOriginal(db, deployment, containerId, (each) => markedHeld(each, { by, was }));
    }
    await requireContainers(parts).originals.holdBack(containerId);
    if (!isNoted) log(`the ${title} is stopped and kept`, 'info', 'stdout', service);
  }
}

/** If an earlier attempt stopped the container, its state from before that attempt counts. */
const wasOf = ({ held }: Original, { state, restartPolicy, replicas }: CurrentOriginal): OriginalState =>
  held && state === 'stopped' ? held.was : { state, restartPolicy: held?.was.restartPolicy ?? restartPolicy, replicas };

/** Restores the original containers that this deployment stopped for the service. */
export async function bringOriginalsBack(context: StepContext, service: string): Promise<void> {
  const { parts, db, deployment, log, checkLease } = context;
  for (const original of originalsOfService(await originalsFor(db, deployment), service)) {
    const { containerId, held } = original;
    const title = originalTitle(original);
    if (held?.by !== deployment.id) continue;
    await checkLease();
    const isThere = await requireContainers(parts)
      .originals.bringBack(containerId, held.was)
      .catch((error: Error) => {
        throw error instanceof EngineAwayError ? error : notBack(title, error);
      });
    await updateOriginal(db, deployment, containerId, withoutMarks);
    if (isThere) log(`the ${title} runs again as before`, 'info', 'stdout', service);
    else log(`the ${title} no longer exists and cannot be restored`, 'warn', 'stdout', service);
  }
}

const notBack = (title: string, error: Error): StepError =>
  new StepError('original_not_back', `the ${title} does not start again: ${error.message}`);

/** Returns the originals of a service with their current state. */
async function those({ parts, db, deployment }: StepContext, service: string) {
  const originals = originalsOfService(await originalsFor(db, deployment), service);
  return Promise.all(
    originals.map(async (original) => ({
      original,
      now: await requireContainers(parts).originals.look(original.containerId),
    })),
  );
}
