import type { Readable } from 'node:stream';
import type { ArchiveSummary } from '../../lib/archive/archive.ts';
import type { Owner } from '../runtime/runtime.ts';

/** Owner of an image. Without a fence: one worker may build it and the next run it. */
export type ImageOwner = Omit<Owner, 'fence'>;

/** Credentials of a registry. */
export interface RegistryCredential {
  /** As in the names of its images: `registry.example.com:5000`, `docker.io`. */
  registry: string;
  username: string;
  password: string;
}

/** A build. The same request for the same owner yields the same image, however often it is made. */
export interface BuildRequest {
  owner: ImageOwner;
  /** Folder of the build context. */
  context: string;
  /** A path inside the context, or a text that the build cannot see. */
  dockerfile: { path: string } | { text: string };
  /** Ignore rules for a context without a `.dockerignore`. */
  ignore?: string;
  /** Ignore rules of the Dockerfile itself, for a text that was read from a file. They take precedence, as they do
   * for a path. */
  ownIgnore?: string;
  /** Images that the Dockerfile may refer to by other names. */
  namedImages?: Record<string, string>;
  /** The stage to build; undefined: the last one. */
  target?: string;
  /** Build arguments; null for one without a value. Visible in the image's history, so never secret. */
  args?: Record<string, string | null>;
  /** Secrets by id, for `RUN --mount=type=secret,id=...`. A build gets them in no other way. */
  secrets?: Record<string, string | Buffer>;
  /** Additional labels of the image. */
  labels?: Record<string, string>;
  credentials?: RegistryCredential[];
  /** False runs every step again. */
  cache?: boolean;
  /** Pulls newer base images from the registries. */
  freshBases?: boolean;
  /** Entries in `/etc/hosts` of each step; an address, or `host-gateway` for the engine's machine. */
  extraHosts?: { host: string; address: string }[];
  /** `none`: its steps have no network. */
  network?: 'default' | 'none';
  /** Size of `/dev/shm` in each step. Engines before Docker 23 ignore it. */
  shmBytes?: number;
  /** Such as `linux/arm64`; undefined: the engine's own. */
  platform?: string;
}

export interface RunOptions {
  signal: AbortSignal;
  onLine: (line: string, stream: 'stdout' | 'stderr') => void;
  deadlineMs: number;
}

export interface BuiltImage {
  /** Our name for it, such as `mooring/prj_1:dep_1`. */
  image: string;
  /** `sha256:...`, as the engine reports it. */
  imageId: string;
  bytes: number;
}

export interface OwnImage extends BuiltImage {
  owner: ImageOwner;
  createdAt: number;
}

/** An image in the engine. */
export interface FoundImage {
  imageId: string;
  bytes: number;
  /** Exposed TCP ports, in ascending order. */
  ports: number[];
  /** Declared volumes, sorted. */
  volumes: string[];
  /** Whether it has a health check. */
  hasHealthcheck: boolean;
  /** Its entrypoint and command. */
  command: string[];
  /** Owner of the image or of its base image; undefined for one that is not ours. */
  owner: ImageOwner | undefined;
}

export interface PulledImage extends FoundImage {
  /** Digest at the registry, such as `name@sha256:...`. */
  digest: string;
}

/** A registry that images are sent to, and the part of its names that is ours. */
export interface PushTarget {
  /** Such as `registry.example.com/apps`. */
  registry: string;
  login: { username: string; password: string } | undefined;
}

/** An image in a registry. */
export interface PushedImage {
  /** Such as `registry.example.com/apps/mooring`. */
  repository: string;
  tag: string;
  /** `sha256:...` of its manifest or index. */
  digest: string;
}

/** Result of a removal. Only `removed` and `absent` mean that the image is gone. */
export type ImageRemoval = 'removed' | 'absent' | 'in_use' | 'not_ours';

export interface CopyLimits {
  entries: number;
  bytes: number;
}

/** Builds and manages the images of an engine. Calls are idempotent; our images are found by their labels. */
export interface Images {
  /** Returns the engine's platform, such as `linux/arm64`. */
  platform(): Promise<string>;
  /** Builds the image or finds it. Leaves nothing but cached steps when it fails, is cancelled or times out. */
  build(request: BuildRequest, options: RunOptions): Promise<BuiltImage>;
  /** Cancels a build that an earlier attempt of a deployment left running. */
  endBuild(owner: ImageOwner): Promise<void>;
  /** Pulls an image; transfers only layers that the engine does not have. */
  pull(reference: string, credentials: RegistryCredential[], options: RunOptions): Promise<PulledImage>;
  /** Finds an image by the id of a build or pull; undefined if the engine no longer has it. */
  find(imageId: string): Promise<FoundImage | undefined>;
  /** Finds an image by name, whoever put it there. The caller must check its owner. */
  findByName(reference: string): Promise<FoundImage | undefined>;
  /** Lists the images built for this Mooring instance. */
  list(): Promise<OwnImage[]>;
  /** Removes an image by our name. Keeps one in use, and one that is not ours. */
  remove(image: string): Promise<ImageRemoval>;
  /** Ids of untagged images with our labels. Some belong to others, built from ours; only the ids of our builds tell
   * them apart. */
  nameless(): Promise<string[]>;
  /** Removes an untagged image by the id of its build: an interrupted removal takes the name first. Keeps one that
   * has a name. */
  removeNameless(imageId: string): Promise<ImageRemoval>;
  /** Copies a folder of an image into a new or empty local folder. Runs nothing of the image. */
  copyOut(imageId: string, path: string, folder: string, limits?: CopyLimits): Promise<ArchiveSummary>;
  /** Exports an image with its name, for `load` on another engine. */
  save(image: string, signal: AbortSignal): Promise<Readable>;
  load(archive: Readable, signal: AbortSignal): Promise<void>;
  /** Returns the platforms of all machines that run its images; several for a Swarm of different machines. */
  platforms(): Promise<string[]>;
  /** Sends an image to a registry. */
  push(imageId: string, to: PushTarget, signal: AbortSignal): Promise<PushedImage>;
  /** Makes images of several platforms one, in their registry. */
  pushIndex(images: PushedImage[], to: PushTarget, signal: AbortSignal): Promise<PushedImage>;
  /** Pulls an image that another engine built for this owner, and gives it our name. */
  take(owner: ImageOwner, pushed: PushedImage, from: PushTarget, options: RunOptions): Promise<BuiltImage>;
  /** Removes the least recently used cached steps of our builds until the rest fits this size. */
  prune(maxBytes: number): Promise<{ freedBytes: number; keptBytes: number }>;
}
