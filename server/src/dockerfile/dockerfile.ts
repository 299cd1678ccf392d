import type { Detection } from '../detect/detect.ts';

/** Build settings in addition to the detection. */
export interface DockerfileOptions {
  /** Folder of the app in the build context; `''` if it is the context. */
  folder: string;
  /** Settings of the project; null if unset. */
  installCommand: string | null;
  buildCommand: string | null;
  startCommand: string | null;
  outputDirectory: string | null;
  /** Command to run before the app at each start. */
  beforeStart?: string | null;
  /** Separates the caches of projects, since one could otherwise inject files into another's build. */
  cacheScope: string;
  /** Names of build-time variables; the builder passes their values as arguments. */
  variables: string[];
  /** Names of secret variables; the builder mounts their values while a command runs. */
  secrets: string[];
}

export interface GeneratedDockerfile {
  dockerfile: string;
  /** For sources without a .dockerignore. */
  dockerignore: string;
  /** Base images, to be pulled first if the builder cannot authenticate. */
  images: string[];
  /** Folder of the static site in the image; null for an app with a process. */
  site: string | null;
  readOnly: ReadOnlySettings;
}

/** For projects with a read-only file system. */
export interface ReadOnlySettings {
  /** Folders that need a tmpfs, besides those of every container. */
  memory: string[];
}

/** The app with its effective commands. */
export interface DockerApp {
  found: Detection;
  /** Folder of the app in the image. */
  directory: string;
  install: string | null;
  build: string | null;
  start: string | null;
  beforeStart: string | null;
  /** Whether the commands are the detected ones, so that their outputs are known. */
  isBuiltAsDetected: boolean;
  isStartedAsDetected: boolean;
}

/** A stage without the app. */
export interface BaseStage {
  image: string;
  /** Whether the packages of its Debian release may have moved to the archive. */
  isArchived?: boolean;
  /** Whether the image's default user is not root. */
  isNotRoot?: boolean;
  /** Files from other images: `['ghcr.io/astral-sh/uv', '/uv', '/usr/local/bin/uv']`. */
  copies?: [image: string, from: string, to: string][];
  /** Debian packages. */
  packages?: string[];
  /** Debian packages that the image needs not install. */
  has?: string[];
  /** Trusted commands. */
  commands?: string[];
  environment?: Record<string, string>;
}

/** Plan of an image for a language. */
export interface DockerfilePlan {
  /** A stage that the others begin with: their image is `base`. */
  base?: BaseStage;
  build: BaseStage;
  run: BaseStage;
  /** Named folders to cache between builds. */
  caches?: Record<string, string>;
  /** Caches of the build command only. */
  buildCaches?: Record<string, string>;
  /** Build outputs that are not needed at run time: trusted paths and patterns. */
  leftovers?: string[];
  /** Replaces the detected build command, with its output in a cache. */
  cachedBuild?: string;
  /** Replaces the start command. */
  start?: string;
  /** Folder of the app in the final image, if it differs. */
  directory?: string;
  /** Cache folders that the app fills at run time and can do without. */
  filledCaches?: string[];
}

export interface Toolchain {
  /** Detected languages, with `/` and a package manager where it matters. */
  languages: string[];
  plan(app: DockerApp): DockerfilePlan;
}
