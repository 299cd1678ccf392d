import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type DatabaseKind, type Db, isUnavailable } from '../../../db/database.ts';
import { BuildRefusedError } from '../../../drivers/images/errors.ts';
import { imageName } from '../../../drivers/images/image-names.ts';
import type { Images } from '../../../drivers/images/images.ts';
import { EngineAwayError } from '../../../drivers/runtime/errors.ts';
import { LostLeaseError } from '../../../events/event-log.ts';
import { Lease, StoppingError } from '../../../events/lease.ts';
import { removeTree } from '../../../lib/remove-tree.ts';
import type { Sealer } from '../../../lib/seal.ts';
import { BuildQueue, type ClaimedBuild } from './build-queue.ts';
import { loadContext } from './context-files.ts';
import { buildFailureOf, orderedSecrets } from './wire.ts';
import { WorkerOutput } from './worker-output.ts';
import { removeWorker, reportMs, reportWorker, type Worker } from './worker-store.ts';

const pollMs = 1_000;

type Options = {
  db: Db;
  kind: DatabaseKind;
  sealer: Sealer;
  images: Images;
  mode: 'self-hosted' | 'cloud';
  worker: Worker;
  /** For the files of builds. */
  folder: string;
  atOnce: number;
  cacheBytes: number;
  say: (line: string) => void;
};

/** Claims builds and runs each under its own lease. */
export class BuildWorker {
  readonly #options: Options;
  readonly #queue: BuildQueue;
  readonly #held = new Map<ClaimedBuild, Promise<void>>();
  readonly #stopping = new AbortController();
  readonly #timers: NodeJS.Timeout[] = [];
  #looking: Promise<void> | undefined;
  #complaint: string | undefined;

  constructor(options: Options) {
    this.#options = options;
    this.#queue = new BuildQueue(options);
  }

  async start(): Promise<void> {
    await this.#removeLeftovers();
    await this.#report();
    this.#timers.push(setInterval(() => void this.#noting(this.#report()), reportMs));
    this.#timers.push(setInterval(() => this.#look(), pollMs));
    this.#look();
  }

  /** Gives builds back, so that another worker continues at once. */
  async stop(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    this.#stopping.abort();
    await this.#looking;
    await Promise.all(this.#held.values());
    await removeWorker(this.#options.db, this.#options.worker.id);
  }

  async #report(): Promise<void> {
    await this.#requireEngine();
    await reportWorker(this.#options.db, this.#options.kind, this.#options.worker);
  }

  /** Without its engine it must neither claim builds nor count as connected. */
  #requireEngine = () => this.#options.images.platform();

  /** Says each problem once: the database may be away for a while. */
  async #noting(task: Promise<unknown>): Promise<void> {
    try {
      await task;
      this.#complaint = undefined;
    } catch (error) {
      const { message } = error as Error;
      if (this.#complaint !== message) this.#options.say(`Waiting: ${message}`);
      this.#complaint = message;
    }
  }

  #look(): void {
    this.#looking ??= this.#noting(this.#claimAll()).finally(() => (this.#looking = undefined));
  }

  async #claimAll(): Promise<void> {
    if (this.#held.size < this.#options.atOnce) await this.#requireEngine();
    while (this.#held.size < this.#options.atOnce && !this.#stopping.signal.aborted) {
      const next = await this.#queue.claim(this.#options.worker, [...this.#held.keys()]);
      if (!next) return;
      const done = this.#run(next).finally(() => {
        this.#held.delete(next);
        this.#look();
      });
      this.#held.set(next, done);
    }
  }

  async #run(build: ClaimedBuild): Promise<void> {
    const { say } = this.#options;
    const what = `${build.deploymentId} (${build.service}, ${build.platform})`;
    const lease = new Lease({
      what: `build ${build.id}`,
      renew: () => this.#queue.renew(build),
      stopping: this.#stopping.signal,
      warn: say,
    });
    const began = Date.now();
    say(`Building ${what}`);
    try {
      await this.#build(build, lease);
      say(`Built ${what} in ${((Date.now() - began) / 1000).toFixed(1)} s`);
    } catch (error) {
      const reason: unknown = lease.signal.aborted ? lease.signal.reason : error;
      say(
        await this.#ended(build, what, reason as Error).catch((failed: Error) => `Gave up ${what}: ${failed.message}`),
      );
    } finally {
      lease.end();
    }
  }

  /** The message of a failed build may contain secrets, so it goes to the deployment only. */
  async #ended(build: ClaimedBuild, what: string, error: Error): Promise<string> {
    if (error instanceof LostLeaseError) return `Stopped ${what}: it was cancelled or taken over`;
    const isStopping = error instanceof StoppingError;
    if (isStopping || isUnavailable(error) || error instanceof EngineAwayError) {
      if (!isStopping) await sleep(pollMs);
      await this.#queue.release(build);
      return `Gave ${what} back: ${isStopping ? 'the worker is stopping' : error.message}`;
    }
    await this.#queue.finish(build, { failure: buildFailureOf(error) });
    return `Failed ${what} (${error.name})`;
  }

  async #build(build: ClaimedBuild, lease: Lease): Promise<void> {
    const { db, images, folder, mode, worker } = this.#options;
    const { id, order, platform, contextId } = build;
    // Builds of organizations that do not trust each other would reach the network of this machine.
    if (order.mode === 'cloud' && mode !== 'cloud')
      throw new BuildRefusedError(
        `the build worker ${worker.name} is not in cloud mode; set MOORING_MODE=cloud for it`,
      );
    const { signal } = lease;
    const image = imageName(order.request.owner);
    const context = join(folder, id);
    const note = join(folder, `${id}.image`);
    const output = new WorkerOutput((number, lines) => this.#queue.addLines(build, number, lines));
    await mkdir(context, { recursive: true, mode: 0o700 });
    await writeFile(note, image);
    let isImageLeft = true;
    try {
      await loadContext(db, contextId, context, signal);
      const request = { ...order.request, context, platform, secrets: orderedSecrets(order) };
      const built = await images.build(request, { signal, deadlineMs: order.deadlineMs, onLine: output.add });
      await lease.check();
      output.add(`Sending the image to ${order.push.registry}, ${(built.bytes / 1e6).toFixed(1)} MB`, 'stdout');
      const pushed = await images.push(built.imageId, order.push, signal);
      // Cached steps stay. The engine may also be the one that takes the image under the same name.
      await images.remove(image);
      isImageLeft = false;
      await output.end();
      await this.#queue.finish(build, { pushed, bytes: built.bytes });
    } catch (error) {
      if (!signal.aborted) await output.end();
      throw error;
    } finally {
      output.close();
      await this.#noting(this.#clearAway({ context, note, image: isImageLeft ? image : undefined }));
    }
  }

  /** Removes what a build has left. A worker that stops leaves the image to its next start. */
  async #clearAway({ context, note, image }: { context: string; note: string; image: string | undefined }) {
    const { images, cacheBytes } = this.#options;
    await removeTree(context);
    if (image && this.#stopping.signal.aborted) return;
    if (image) await images.remove(image);
    await rm(note);
    await images.prune(cacheBytes);
  }

  /** Removes what builds left when this worker was killed. */
  async #removeLeftovers(): Promise<void> {
    const { folder, images } = this.#options;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    for (const name of await readdir(folder)) {
      if (name.endsWith('.image')) await images.remove(await readFile(join(folder, name), 'utf8'));
      await removeTree(join(folder, name));
    }
  }
}
