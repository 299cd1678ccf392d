import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EngineClient } from '../../runtime/docker/engine/client.ts';
import { EngineAwayError } from '../../runtime/errors.ts';
import { EngineError, undefinedIfGone } from '../../runtime/docker/engine/errors.ts';
import { BuildRefusedError } from '../errors.ts';
import { buildKey } from '../image-names.ts';
import type { ImageOwner } from '../images.ts';
import { jsonLines } from '../json-lines.ts';
import { dockerfileName, servicesFor } from '../session/services.ts';
import { openSession } from '../session/session.ts';
import { BuildKitProgress } from './buildkit-progress.ts';
import type { BuildPlan, BuildRun } from './plan.ts';
import { readTrace } from './trace.ts';

type Frame = { id?: string; aux?: unknown; error?: string };

/** Time for the engine to cancel a build. */
const endingMs = 3_000;
/** Longer than any build may take: the caller has its own deadline. */
const noDeadlineMs = 2 ** 31 - 1;

/** Errors of a build that was cancelled or lost its session: not the build's fault. */
const interrupted =
  /context cancell?ed|no active session|transport is closing|session (?:finished|not found)|graceful_?stop/i;

/** Builds with BuildKit, which requests files and secrets over a session of the build. */
export class BuildKitBuilder {
  readonly #engine: EngineClient;

  constructor(engine: EngineClient) {
    this.#engine = engine;
  }

  /** Returns the id of the image. */
  async build(plan: BuildPlan, run: BuildRun): Promise<string> {
    const troubles: unknown[] = [];
    const session = await openSession(this.#engine, {
      sharedKey: ofProject(plan.owner),
      methods: servicesFor({ ...plan, dockerfile: plan.dockerfile.file.lines.join('\n') }),
      report: (error) => troubles.push(error),
    }).catch((error: unknown) => {
      throw error instanceof EngineError ? noBuildKit(error) : error;
    });
    try {
      return await this.#follow(plan, session.id, run);
    } catch (error) {
      // If we could not provide the files, our error says more than the engine's.
      throw troubles.find((each) => each instanceof BuildRefusedError) ?? error;
    } finally {
      session.close();
    }
  }

  /** Cancels a build of this owner that another process started. Does nothing on an engine without BuildKit. */
  async end(owner: ImageOwner): Promise<void> {
    await undefinedIfGone(this.#engine.json({ method: 'POST', path: '/build/cancel', query: { id: buildKey(owner) } }));
  }

  async #follow(plan: BuildPlan, session: string, run: BuildRun): Promise<string> {
    const { stop } = run;
    const progress = new BuildKitProgress(run);
    const connection = new AbortController();
    let imageId = '';
    const end = () => void this.#stop(plan.owner, connection);
    stop.addEventListener('abort', end, { once: true });
    try {
      stop.throwIfAborted();
      const call = { method: 'POST', path: pathOf(plan, session) } as const;
      const answer = await this.#engine.open({ ...call, deadlineMs: noDeadlineMs, signal: connection.signal });
      for await (const frame of jsonLines<Frame>(answer)) {
        if (frame.id === 'moby.buildkit.trace') progress.take(readTrace(Buffer.from(frame.aux as string, 'base64')));
        else if (frame.id === 'moby.image.id') imageId = (frame.aux as { ID: string }).ID;
        else if (frame.error) throw failure(frame.error, progress);
      }
      if (!imageId) throw new EngineAwayError(new Error('it ended the build without a reason'));
      await progress.looked();
      return imageId;
    } catch (error) {
      stop.throwIfAborted();
      throw error instanceof EngineError ? progress.failure(error.message) : error;
    } finally {
      stop.removeEventListener('abort', end);
      connection.abort();
    }
  }

  /** Cancels the build, and disconnects when that takes too long, which ends it too. */
  async #stop(owner: ImageOwner, connection: AbortController): Promise<void> {
    await Promise.race([this.end(owner).catch(() => connection.abort()), sleep(endingMs)]);
    await sleep(endingMs, undefined, { signal: connection.signal }).catch(() => undefined);
    connection.abort();
  }
}

const noBuildKit = ({ status, message }: EngineError): BuildRefusedError =>
  new BuildRefusedError(
    `The container engine has no BuildKit, which Mooring builds images with (POST /session answered ${status}: ` +
      `${message}). Install Docker Engine 20.10 or later on the machine that builds, then deploy again.`,
  );

function failure(reason: string, progress: BuildKitProgress): Error {
  return interrupted.test(reason) ? new EngineAwayError(new Error(reason)) : progress.failure(reason);
}

/** Builds of a project share their sent files and cache mounts. Other projects have no access to them. */
const ofProject = ({ instanceId, organizationId, projectId }: ImageOwner): string =>
  createHash('sha256').update([instanceId, organizationId, projectId].join('\0')).digest('hex').slice(0, 32);

function pathOf(plan: BuildPlan, session: string): string {
  const { args, labels, memoryBytes, owner, target, shmBytes } = plan;
  const dataLimit = memoryBytes && memoryBytes + slackBytes;
  const values: Record<string, string | number | boolean | object> = {
    version: '2',
    session,
    remote: 'client-session',
    buildid: buildKey(owner),
    t: plan.image,
    dockerfile: dockerfileName,
    ...(target !== undefined && { target }),
    buildargs: { ...args, BUILDKIT_CACHE_MOUNT_NS: ofProject(owner) },
    labels,
    nocache: !plan.cache,
    pull: plan.freshBases,
    networkmode: plan.network,
    ...(plan.platform !== undefined && { platform: plan.platform }),
    ...(shmBytes !== undefined && { shmsize: shmBytes }),
    ...(dataLimit && { ulimits: [{ Name: 'data', Soft: dataLimit, Hard: dataLimit }] }),
  };
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(values))
    search.set(name, typeof value === 'object' ? JSON.stringify(value) : String(value));
  // One parameter each; everything after the first colon is the address.
  for (const { host, address } of plan.extraHosts) search.append('extrahosts', `${host}:${address}`);
  return `/build?${search.toString()}`;
}

/** BuildKit has no memory limit for builds. Engines from 23 on limit the data segment of each process; programs
 * reserve more than they use. */
const slackBytes = 2 ** 30;
