import type { CheckedDockerfile } from '../dockerfile/check.ts';
import type { Context } from '../context/context.ts';
import type { BuildRequest, ImageOwner } from '../images.ts';
import type { BuildOutput } from './build-output.ts';

/** A build that was checked and may begin. */
export interface BuildPlan extends Required<
  Pick<BuildRequest, 'secrets' | 'credentials' | 'cache' | 'freshBases' | 'extraHosts' | 'network'>
> {
  owner: ImageOwner;
  /** What the image will be called. */
  image: string;
  context: Context;
  dockerfile: CheckedDockerfile;
  target: string | undefined;
  /** Those that have a value. */
  args: Record<string, string>;
  /** All that the image will carry. */
  labels: Record<string, string>;
  memoryBytes: number | undefined;
  shmBytes: number | undefined;
}

/** A step that ran and was not in the cache, with its time by the engine's clock. */
export interface RanStep {
  /** As `[build 2/5] RUN npm ci`. */
  name: string;
  from: number;
  to: number;
}

export interface BuildRun {
  /** Ends the build, for whatever reason. */
  stop: AbortSignal;
  output: BuildOutput;
  /** Has to hear of each image that the engine takes. If the build may not have it, it stops the build, and rejects. */
  onImage: (name: string) => Promise<void>;
  /** Hears of each step before it is done, as `[2/5] RUN npm ci`. */
  onStep?: (name: string) => void;
  /** Hears of each step that left something in a cache whose records do not say whose they are. */
  onRan: (step: RanStep) => void;
}
