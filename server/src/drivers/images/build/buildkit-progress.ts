import { BuildFailedError } from '../errors.ts';
import { oneLine } from './build-output.ts';
import type { BuildRun } from './plan.ts';
import type { Trace, Vertex } from './trace.ts';

const isOurs = (name: string): boolean => /^\[internal\]|^exporting |^resolve image config/.test(name);
const imageIn =
  /^(?:\[internal\] load metadata for|resolve image config for|\[[^\]]*\] FROM) (?:docker-image:\/\/)?(\S+)$/;

/** Follows a build by BuildKit. */
export class BuildKitProgress {
  readonly #run: Pick<BuildRun, 'output' | 'onImage' | 'onRan' | 'onStep'>;
  readonly #begun = new Map<string, number>();
  readonly #looking: Promise<unknown>[] = [];
  #failed: Vertex | undefined;

  constructor(run: Pick<BuildRun, 'output' | 'onImage' | 'onRan' | 'onStep'>) {
    this.#run = run;
  }

  take({ vertexes, logs }: Trace): void {
    for (const vertex of vertexes) this.#step(vertex);
    for (const { vertex, message, stream } of logs) this.#run.output.print(vertex, message, stream);
    for (const { digest, completedAt } of vertexes) if (completedAt !== undefined) this.#run.output.end(digest);
  }

  /** Waits until every image that the engine used was checked: a short build may finish before that. */
  async looked(): Promise<void> {
    await Promise.all(this.#looking);
  }

  /** Returns the error for the engine's reason, with the failed step. */
  failure(reason: string): BuildFailedError {
    const short = reason.replace(/^(?:failed to solve[^:]*|failed to create LLB definition): /g, '');
    if (!this.#failed) return new BuildFailedError(short.replace(/^failed to create LLB definition: /, ''));
    const { digest, name, error } = this.#failed;
    const instruction = oneLine(name.replace(/^\[[^\]]*\] /, ''));
    return new BuildFailedError(error, { instruction, lastLines: this.#run.output.lastLines(digest) });
  }

  #step(vertex: Vertex): void {
    const { digest, name, cached, startedAt, error } = vertex;
    const [, image] = imageIn.exec(name) ?? [];
    // A forbidden image stops the build itself, with its reason.
    if (image) this.#looking.push(this.#run.onImage(image).catch(() => undefined));
    this.#run.onStep?.(name);
    if (startedAt !== undefined && !isOurs(name)) this.#run.output.begin(digest, name, cached ? ' (cached)' : '');
    this.#note(vertex);
    // A step cancelled because another one failed is not the reason.
    if (error && !/context cancell?ed/.test(error)) this.#failed ??= vertex;
  }

  /** A step may be reported as started and completed several times; the last end counts, from the first start. */
  #note({ digest, name, cached, startedAt, completedAt }: Vertex): void {
    if (startedAt === undefined || cached) return;
    const from = this.#begun.get(digest) ?? startedAt;
    this.#begun.set(digest, from);
    if (completedAt !== undefined && completedAt - from >= 1) this.#run.onRan({ name, from, to: completedAt });
  }
}
