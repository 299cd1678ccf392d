import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EngineClient } from '../../runtime/docker/engine-client.ts';
import { EngineAwayError } from '../../runtime/errors.ts';
import { EngineError, goneOrGoing, ifThere } from '../../runtime/docker/engine-errors.ts';
import { imagesUpTo } from '../dockerfile/check.ts';
import { labelStages } from '../dockerfile/label-stages.ts';
import { BuildFailedError, BuildRefusedError, PullFailedError } from '../errors.ts';
import { buildKey, unfinishedLabel } from '../image-names.ts';
import type { ImageOwner } from '../images.ts';
import { jsonLines } from '../json-lines.ts';
import { pullImage } from '../pull.ts';
import { authConfigHeader } from '../references.ts';
import { buildPath, hostLines, sharedValues } from './build-call.ts';
import { classicContext } from './classic-context.ts';
import { ClassicProgress } from './classic-progress.ts';
import type { Builder, BuildPlan, BuildRun } from './plan.ts';

type Frame = { stream?: string; aux?: { ID?: string }; error?: string };
type FoundContainer = { Id: string; HostConfig: { ExtraHosts: string[] | null } };

/** How long the engine may take to remove them. */
const endingMs = 15_000;
const noDeadlineMs = 2 ** 31 - 1;
const interrupted = /context cancell?ed|is marked for removal|No such container|unexpected EOF/i;

/** Builds by the builder that engines had before BuildKit: each step is a container, and an image of its own. */
export class ClassicBuilder implements Builder {
  readonly #engine: EngineClient;

  constructor(engine: EngineClient) {
    this.#engine = engine;
  }

  async build(plan: BuildPlan, run: BuildRun): Promise<string> {
    const { stop, output } = run;
    if (Object.keys(plan.secrets).length)
      throw new BuildRefusedError('this engine builds without BuildKit, and so cannot keep secrets out of the image');
    if (plan.dockerfile.file.hasHeredocs)
      throw new BuildRefusedError('this engine builds without BuildKit, and so does not know texts that begin with <<');
    await this.#pullMissing(plan, run);
    const { text, added } = labelStages(plan.dockerfile, {
      target: plan.target,
      first: { [unfinishedLabel]: plan.owner.instanceId },
      last: { [unfinishedLabel]: '', ...plan.labels },
    });
    const name = `.mooring-${randomBytes(16).toString('hex')}`;
    const progress = new ClassicProgress(output, added);
    try {
      const answer = await this.#engine.open({
        method: 'POST',
        path: pathOf(plan, name),
        body: classicContext(plan.context, { name, text }),
        headers: { 'content-type': 'application/x-tar', ...authConfigHeader(plan.credentials) },
        deadlineMs: noDeadlineMs,
        signal: stop,
      });
      return await follow(jsonLines<Frame>(answer), progress);
    } catch (error) {
      if (!stop.aborted) throw reasonOf(error, progress);
      // The engine ends a build whose listener is gone; we wait for that, or see to it.
      await this.end(plan.owner);
      throw stop.reason;
    }
  }

  /** So that each image can be looked at before anything is built from it: this builder does not say what it takes, and makes
   * also those stages that nothing needs. */
  async #pullMissing(plan: BuildPlan, { stop, output, onImage }: BuildRun): Promise<void> {
    const { dockerfile, target, credentials } = plan;
    for (const name of imagesUpTo(dockerfile, target)) {
      await onImage(name);
      if (await ifThere(this.#engine.json({ method: 'GET', path: `/images/${name}/json` }))) continue;
      const options = { signal: stop, deadlineMs: noDeadlineMs, onLine: (line: string) => output.say(line) };
      await pullImage(this.#engine, name, credentials, options).catch((error: unknown) => {
        throw error instanceof PullFailedError
          ? new BuildFailedError(error.message, { instruction: `FROM ${name}` })
          : error;
      });
      await onImage(name);
    }
  }

  /** Until the engine has none of its containers any more: it may be removing them itself. */
  async end(owner: ImageOwner): Promise<void> {
    for (const end = Date.now() + endingMs; ; await sleep(100)) {
      const left = await this.#containersOf(owner);
      if (!left.length) return;
      if (Date.now() > end) throw new Error(`the engine does not remove the containers of a build: ${left.join(', ')}`);
      for (const id of left) {
        const call = { method: 'DELETE', path: `/containers/${id}`, query: { force: true, v: true } } as const;
        await ifThere(this.#engine.json(call), goneOrGoing);
      }
    }
  }

  async #containersOf(owner: ImageOwner): Promise<string[]> {
    const query = { all: true, filters: { label: [`${unfinishedLabel}=${owner.instanceId}`] } };
    const found = await this.#engine.json<{ Id: string }[]>({ method: 'GET', path: '/containers/json', query });
    const mine: string[] = [];
    for (const { Id } of found) {
      const call = { method: 'GET', path: `/containers/${Id}/json` } as const;
      const container = await ifThere(this.#engine.json<FoundContainer>(call));
      if (container?.HostConfig.ExtraHosts?.includes(markOf(owner))) mine.push(Id);
    }
    return mine;
  }
}

/** A file that has changed under our hands breaks the request; a file that makes no sense to the engine is refused by it. */
function reasonOf(error: unknown, progress: ClassicProgress): unknown {
  if (error instanceof EngineAwayError && error.cause instanceof BuildRefusedError) return error.cause;
  return error instanceof EngineError ? progress.failure(error.message) : error;
}

async function follow(frames: AsyncIterable<Frame>, progress: ClassicProgress): Promise<string> {
  let imageId: string | undefined;
  for await (const { stream, aux, error } of frames) {
    if (stream !== undefined) progress.take(stream);
    if (aux?.ID) imageId = aux.ID;
    if (error !== undefined)
      throw interrupted.test(error) ? new EngineAwayError(new Error(error)) : progress.failure(error);
  }
  progress.end();
  if (!imageId) throw new EngineAwayError(new Error('it ended the build without a word'));
  return imageId;
}

/** Labels are a part of what the cache compares, so they cannot name the deployment. A line for `/etc/hosts` is not. */
const markOf = (owner: ImageOwner): string => `${buildKey(owner)}.mooring-build.invalid:127.0.0.1`;

function pathOf(plan: BuildPlan, dockerfile: string): string {
  const { args, memoryBytes, owner } = plan;
  const values = {
    ...sharedValues(plan),
    dockerfile,
    buildargs: args,
    rm: true,
    forcerm: true,
    ...(memoryBytes && { memory: memoryBytes, memswap: memoryBytes }),
  };
  return buildPath(values, [markOf(owner), ...hostLines(plan)]);
}
