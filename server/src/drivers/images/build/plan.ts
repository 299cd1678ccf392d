import type { CheckedDockerfile } from '../dockerfile/check.ts';
import type { BuildContext } from '../context/context.ts';
import type { BuildRequest, ImageOwner } from '../images.ts';
import type { BuildOutput } from './build-output.ts';

/** A validated build. */
export interface BuildPlan extends Required<
  Pick<BuildRequest, 'secrets' | 'credentials' | 'cache' | 'freshBases' | 'extraHosts' | 'network'>
> {
  owner: ImageOwner;
  /** Name of the image to be built. */
  image: string;
  context: BuildContext;
  dockerfile: CheckedDockerfile;
  target: string | undefined;
  /** Those with a value. */
  args: Record<string, string>;
  /** All labels of the image. */
  labels: Record<string, string>;
  /** Undefined: the engine's own. */
  platform: string | undefined;
  memoryBytes: number | undefined;
  shmBytes: number | undefined;
}

/** A step that ran uncached, with its times by the engine's clock. */
export interface RanStep {
  /** Such as `[build 2/5] RUN npm ci`. */
  name: string;
  from: number;
  to: number;
}

export interface BuildRun {
  /** Ends the build, for whatever reason. */
  stop: AbortSignal;
  output: BuildOutput;
  /** Called for each image that the engine uses. Aborts the build and rejects if the image is forbidden. */
  onImage: (name: string) => Promise<void>;
  /** Called for each step before it completes, such as `[2/5] RUN npm ci`. */
  onStep?: (name: string) => void;
  /** Called for each step that left a cache record, because the records do not name their owner. */
  onRan: (step: RanStep) => void;
}
