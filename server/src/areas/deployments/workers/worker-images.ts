import { setTimeout as sleep } from 'node:timers/promises';
import type { DatabaseKind, Db } from '../../../db/database.ts';
import { dockerfileText } from '../../../drivers/images/build/check-request.ts';
import { BuildRefusedError } from '../../../drivers/images/errors.ts';
import { isOwnName } from '../../../drivers/images/image-names.ts';
import type {
  BuildRequest,
  BuiltImage,
  Images,
  PushedImage,
  PushTarget,
  RunOptions,
} from '../../../drivers/images/images.ts';
import { isSamePlatform } from '../../../drivers/images/platforms.ts';
import type { Sealer } from '../../../lib/seal.ts';
import type { DeploymentConfig } from '../model/model.ts';
import type { Parts } from '../model/parts.ts';
import { BuildQueue } from './build-queue.ts';
import { type HeldDeployment, newContextId, storeContext } from './context-files.ts';
import { canBuild, type BuildNeeds, noWorkerReason } from './worker-match.ts';
import { buildErrorOf, orderSecrets } from './wire.ts';
import { connectedWorkers, type Worker } from './worker-store.ts';
import { type PauseDeadline, WorkerWait } from './worker-wait.ts';

const pollMs = 500;
/** How long a build waits for a worker that fits: one may be restarting. */
const patienceMs = 60_000;
/** A build that ends its worker so often would end the next one too. */
const mostAttempts = 3;

type Options = {
  db: Db;
  kind: DatabaseKind;
  sealer: Sealer;
  mode: Parts['mode'];
  /** Where workers send images; undefined: no build goes to a worker. */
  registry: PushTarget | undefined;
  deployment: HeldDeployment;
  pause: PauseDeadline;
  /** What the project asks for. */
  labels: string[];
  platforms: string[];
};

/** Lets workers build the images of a deployment, if any is connected. */
export function withWorkers(
  parts: Parts,
  deps: Pick<Options, 'db' | 'kind' | 'sealer' | 'pause'>,
  deployment: Options['deployment'],
  { buildLabels: labels = [], buildPlatforms: platforms = [] }: DeploymentConfig,
): Parts {
  const { containers, registry, mode } = parts;
  if (!containers) return parts;
  // The engine of a customer would get the credentials of the registry to pull the image.
  if (mode === 'cloud' && parts.server) return parts;
  const images = builtByWorkers(containers.images, { ...deps, mode, registry, deployment, labels, platforms });
  return { ...parts, containers: { ...containers, images } };
}

/** No worker is left, and this machine can build it. */
const here: unique symbol = Symbol('here');

/** Lets workers build if any is connected, and takes their images from the registry. Otherwise `target` builds. */
export function builtByWorkers(target: Images, options: Options): Images {
  const { db, kind, deployment } = options;
  const queue = new BuildQueue(options);
  const connected = () => connectedWorkers(db, kind);

  async function build(request: BuildRequest, run: RunOptions): Promise<BuiltImage> {
    const workers = await connected();
    const { platforms, left } = await platformsFor(target, options, workers);
    const isPlain = !options.labels.length && platforms.length === 1;
    if (!workers.length && isPlain) return target.build(request, run);
    const complaint = whyHere(options, request);
    if (complaint) {
      run.onLine(`Built on this machine and not by a worker: ${complaint}`, 'stdout');
      return target.build(request, run);
    }
    for (const platform of left) run.onLine(`Not built for ${platform}: no connected worker builds it`, 'stderr');
    const to = options.registry!;
    const stop = new AbortController();
    const bound = { ...run, signal: AbortSignal.any([run.signal, stop.signal]) };
    try {
      const builds = await enqueue(request, platforms, bound);
      const waiting = builds.map(({ id, platform }) => {
        const shown = platforms.length === 1 ? bound : { ...bound, onLine: prefixed(bound.onLine, platform) };
        const wait = new WorkerWait(options.pause);
        return follow(id, { platform, labels: options.labels }, isPlain, shown, wait).finally(() => wait.end());
      });
      const made = await Promise.all(waiting);
      const pushed = made.filter((each) => each !== here);
      if (!pushed.length) return await target.build(request, run);
      const image = pushed.length === 1 ? pushed[0]! : await target.pushIndex(pushed, to, run.signal);
      return await target.take(request.owner, image, to, run);
    } finally {
      // Ends the other platforms when one fails.
      stop.abort(new Error('another platform failed'));
      await queue.remove(deployment, request.owner.service);
    }
  }

  async function enqueue(request: BuildRequest, platforms: string[], run: RunOptions) {
    const { context: _context, secrets, namedImages: _named, ignore: _ignore, ...rest } = request;
    // The worker gets the files without the ignored ones, and the Dockerfile apart from them.
    const dockerfile = { text: await dockerfileText(request) };
    const order = {
      request: { ...rest, dockerfile, ownIgnore: '' },
      secrets: orderSecrets(secrets),
      push: options.registry!,
      deadlineMs: run.deadlineMs,
      mode: options.mode,
    };
    const { service } = request.owner;
    const place = { contextId: newContextId(deployment, service), deploymentId: deployment.id };
    await queue.remove(deployment, service);
    const bytes = await storeContext(db, place, request, run.signal);
    run.onLine(`Waiting for a build worker (${(bytes / 1e6).toFixed(1)} MB of files)`, 'stdout');
    const { fence } = deployment;
    const builds: { id: string; platform: string }[] = [];
    for (const platform of platforms) {
      const id = await queue.add({ ...place, fence, service, platform, labels: options.labels }, order);
      builds.push({ id, platform });
    }
    return builds;
  }

  /** Passes the output on until the build has ended. */
  async function follow(
    id: string,
    wanted: BuildNeeds,
    mayBuildHere: boolean,
    run: RunOptions,
    wait: WorkerWait,
  ): Promise<PushedImage | typeof here> {
    let [attempt, returned, unfitSince] = [0, 0, 0];
    for (; ; await sleep(pollMs, undefined, { signal: run.signal })) {
      run.signal.throwIfAborted();
      const now = await queue.progress(id);
      if (!now) throw new Error('the build was removed from the queue');
      if (now.attempt > attempt) {
        const why = now.returned > returned ? 'gave the build back' : 'has not reported for 15 s';
        if (attempt) run.onLine(`The worker ${why}; another one starts again`, 'stderr');
        ({ attempt, returned } = now);
        const name = (await connected()).find((each) => each.id === now.owner)?.name ?? now.owner;
        run.onLine(`Building ${wanted.platform} on the worker ${name}`, 'stdout');
      }
      for (const [line, stream] of now.lines) run.onLine(line, stream);
      const { outcome } = now;
      if (outcome && 'failure' in outcome) throw buildErrorOf(outcome.failure, run.deadlineMs);
      if (outcome) return outcome.pushed;
      if (now.isHeld) {
        wait.end();
        continue;
      }
      wait.begin();
      if (now.attempt - now.returned >= mostAttempts)
        throw new BuildRefusedError(`${mostAttempts} workers ended during this build, perhaps for lack of memory`);
      const workers = await connected();
      const fitting = workers.filter((each) => canBuild(each, wanted));
      if (fitting.length) {
        unfitSince = 0;
        wait.check(fitting, run.onLine);
        continue;
      }
      if (!workers.length && mayBuildHere && (await queue.withdraw(id))) {
        run.onLine('No build worker is left; building on this machine', 'stderr');
        return here;
      }
      if (!unfitSince) run.onLine(`Waiting ${patienceMs / 1000} s: ${noWorkerReason(workers, wanted)}`, 'stderr');
      unfitSince ||= Date.now();
      if (Date.now() - unfitSince > patienceMs)
        throw new BuildRefusedError(`${noWorkerReason(workers, wanted)}; start one with mooring worker`);
    }
  }

  return {
    ...target,
    build,
    async endBuild(owner) {
      await queue.remove(deployment, owner.service);
      await target.endBuild(owner);
    },
  };
}

const prefixed =
  (onLine: RunOptions['onLine'], platform: string): RunOptions['onLine'] =>
  (line, stream) =>
    onLine(`[${platform}] ${line}`, stream);

/** The platforms to build: this engine's own, those that the project asks for, and those of other nodes that a worker
 * builds. `left` are those of nodes that no worker builds. */
async function platformsFor(
  target: Images,
  { platforms: asked, labels }: Pick<Options, 'platforms' | 'labels'>,
  workers: readonly Worker[],
): Promise<{ platforms: string[]; left: string[] }> {
  const [own = '', ...others] = await target.platforms();
  const platforms = [own];
  for (const platform of asked) if (!platforms.some((each) => isSamePlatform(each, platform))) platforms.push(platform);
  const missing = others.filter((other) => !platforms.some((each) => isSamePlatform(each, other)));
  const isBuilt = (platform: string) => workers.some((each) => canBuild(each, { platform, labels }));
  platforms.push(...missing.filter(isBuilt));
  return { platforms, left: missing.filter((platform) => !isBuilt(platform)) };
}

function whyHere({ registry }: Options, { namedImages = {} }: BuildRequest): string | undefined {
  if (!registry) return 'MOORING_REGISTRY is not set';
  if (Object.values(namedImages).some(isOwnName)) return 'it is built from other images of this deployment';
  return undefined;
}
