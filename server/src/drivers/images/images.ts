import type { Readable } from 'node:stream';
import type { ArchiveSummary } from '../../lib/archive/archive.ts';
import type { Owner } from '../runtime/runtime.ts';

/** Whose image it is. An image has no fence: it may be made by one worker and run by the next. */
export type ImageOwner = Omit<Owner, 'fence'>;

/** How we sign in to a registry. */
export interface RegistryCredential {
  /** As in the names of its images: `registry.example.com:5000`, `docker.io`. */
  registry: string;
  username: string;
  password: string;
}

/** What is to be built. The same request for the same owner gives the same image, however often it is made. */
export interface BuildRequest {
  owner: ImageOwner;
  /** The folder that the build may copy from. */
  context: string;
  /** A path inside the context, or a text of ours that the build cannot see. */
  dockerfile: { path: string } | { text: string };
  /** What is left out of a context that has no `.dockerignore`, in the words of one. */
  ignore?: string;
  /** The rules of the Dockerfile's own, for a text that was read from a file which has some beside it. They count before all
   * others, as they do for a path. */
  ownIgnore?: string;
  /** Images that the Dockerfile may build and copy from by other names than their own. */
  namedImages?: Record<string, string>;
  /** The stage to build; the last one if undefined. */
  target?: string;
  /** Build arguments; null for one that nobody has given a value. They can be read in the image's history: nothing secret. */
  args?: Record<string, string | null>;
  /** By their id, for `RUN --mount=type=secret,id=...`. They reach a build in no other way. */
  secrets?: Record<string, string | Buffer>;
  /** Further labels of the image. */
  labels?: Record<string, string>;
  credentials?: RegistryCredential[];
  /** False runs every step again. */
  cache?: boolean;
  /** Asks the registries for newer base images. */
  freshBases?: boolean;
  /** Lines for `/etc/hosts` of each step; an address, or `host-gateway` for the machine that the engine runs on. */
  extraHosts?: { host: string; address: string }[];
  /** `none`: its steps reach nobody. */
  network?: 'default' | 'none';
  /** Of `/dev/shm` in each step. Engines before Docker 23 ignore it. */
  shmBytes?: number;
  /** As `linux/arm64`. Nothing is built for another machine than the engine's own. */
  platform?: string;
}

export interface RunOptions {
  signal: AbortSignal;
  onLine: (line: string, stream: 'stdout' | 'stderr') => void;
  deadlineMs: number;
}

export interface BuiltImage {
  /** Our name for it, as `mooring/prj_1:dep_1`. */
  image: string;
  /** `sha256:...`, as the engine says it. */
  imageId: string;
  bytes: number;
}

export interface OwnImage extends BuiltImage {
  owner: ImageOwner;
  createdAt: number;
}

/** An image that the engine has, and what it says of itself. */
export interface FoundImage {
  imageId: string;
  bytes: number;
  /** The TCP ports that it says it listens on, smallest first. */
  ports: number[];
  /** Paths that it declares as volumes, in the order of their names. */
  volumes: string[];
  /** Whether it says how to find out if it works. */
  hasHealthcheck: boolean;
  /** What it starts when nobody says otherwise: its entrypoint, and what is given to that. */
  command: string[];
  /** Whom it was built for here, or what it was made from; undefined for an image that has nothing to do with us. */
  owner: ImageOwner | undefined;
}

export interface PulledImage extends FoundImage {
  /** What the registry knows it by, as `name@sha256:...`. */
  digest: string;
}

/** What became of an image that should go. Only `removed` and `absent` mean that it is not there any more. */
export type ImageRemoval = 'removed' | 'absent' | 'in_use' | 'not_ours';

export interface CopyLimits {
  entries: number;
  bytes: number;
}

/** What an engine holds and makes: images. Calls may be repeated; what is ours is found by its labels. */
export interface Images {
  /** What the engine's machine runs, as `linux/arm64`. */
  platform(): Promise<string>;
  /** Builds the image, or finds it built. Ends without leaving anything but cached steps when it fails, is cancelled or
   * takes too long. */
  build(request: BuildRequest, options: RunOptions): Promise<BuiltImage>;
  /** Ends a build that an earlier attempt at a deployment left running. */
  endBuild(owner: ImageOwner): Promise<void>;
  /** Gets an image from its registry; only what the engine does not have yet is transferred. */
  pull(reference: string, credentials: RegistryCredential[], options: RunOptions): Promise<PulledImage>;
  /** By the id that a build or pull gave; undefined if the engine does not have it any more. */
  find(imageId: string): Promise<FoundImage | undefined>;
  /** The image that the engine has under this name, whoever put it there. Who lets others use it looks whose it is. */
  findByName(reference: string): Promise<FoundImage | undefined>;
  /** Every image that was built here for this instance of Mooring. */
  list(): Promise<OwnImage[]>;
  /** By our name for it. What a container still uses stays, and so does what is not ours. */
  remove(image: string): Promise<ImageRemoval>;
  /** Ids of images with our labels and without any name. Some are others', made from ours: whoever knows which ids our builds
   * gave can tell. */
  nameless(): Promise<string[]>;
  /** By the id that a build gave, when the name is gone: an engine that was cut short in a removal has taken that first. What
   * still has a name stays. */
  removeNameless(imageId: string): Promise<ImageRemoval>;
  /** Copies a folder of an image into a new or empty folder of this machine. Nothing of the image runs. */
  copyOut(imageId: string, path: string, folder: string, limits?: CopyLimits): Promise<ArchiveSummary>;
  /** An image under its name, for `load` of another engine. */
  save(image: string, signal: AbortSignal): Promise<Readable>;
  load(archive: Readable, signal: AbortSignal): Promise<void>;
  /** Removes the cached steps of our builds that were used longest ago, until those that stay need no more than this. */
  prune(maxBytes: number): Promise<{ freedBytes: number; keptBytes: number }>;
}
