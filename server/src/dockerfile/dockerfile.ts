import type { Detection } from '../detect/detect.ts';

/** What is to be built, besides what was detected. */
export interface DockerfileOptions {
  /** The app's folder inside of the build context, `''` when it is the context. */
  folder: string;
  /** What the project says; null where it says nothing. */
  installCommand: string | null;
  buildCommand: string | null;
  startCommand: string | null;
  outputDirectory: string | null;
  /** Keeps the caches of projects apart: what one leaves there another would run. */
  cacheScope: string;
  /** Names of build-time variables; their values are given to the builder, as arguments. */
  variables: string[];
  /** Names of secret ones; the builder mounts their values while a command runs. */
  secrets: string[];
}

/** A Dockerfile, and what whoever builds it has to know. */
export interface GeneratedDockerfile {
  dockerfile: string;
  /** For a source that has no .dockerignore of its own. */
  dockerignore: string;
  /** Images that it begins with: to be pulled first, where the builder cannot authenticate. */
  images: string[];
  /** Where the image has the files of a site that needs no process; null for what is started. */
  site: string | null;
  readOnly: ReadOnly;
}

/** For an app whose project makes its file system read-only. */
export interface ReadOnly {
  /** Folders that it then needs memory for, besides those that every container has. */
  memory: string[];
}

/** The app as a toolchain sees it, with the commands that will be used. */
export interface DockerApp {
  found: Detection;
  /** Folder of the app in the image. */
  directory: string;
  install: string | null;
  build: string | null;
  start: string | null;
  /** Whether the commands are those that were detected, so that it is known what they leave and where. */
  isBuiltAsDetected: boolean;
  isStartedAsDetected: boolean;
}

/** A stage before anything of the app is in it. */
export interface Base {
  image: string;
  /** Whether the image has another user than root. */
  isNotRoot?: boolean;
  /** Files of other images: `['ghcr.io/astral-sh/uv', '/uv', '/usr/local/bin/uv']`. */
  copies?: [image: string, from: string, to: string][];
  /** Packages of Debian. */
  packages?: string[];
  /** Commands of ours. */
  commands?: string[];
  environment?: Record<string, string>;
}

/** How apps of a language get into an image. */
export interface DockerfilePlan {
  build: Base;
  run: Base;
  /** Folders that are worth keeping between builds, with a name each. */
  caches?: Record<string, string>;
  /** The same for the build alone. */
  buildCaches?: Record<string, string>;
  /** What the build makes on its way and nobody needs to run it: paths and patterns of ours. */
  leftovers?: string[];
  /** Instead of the detected build command: keeps what it makes in a cache. */
  cachedBuild?: string;
  /** Instead of the start command. */
  start?: string;
  /** Where the app is in the final image, if not where it was built. */
  directory?: string;
  /** Folders that the app fills while it runs and can do without. */
  filledCaches?: string[];
}

/** One language, or some that are alike. */
export interface Toolchain {
  /** As detection calls them; with a slash and a package manager where that makes a difference. */
  languages: string[];
  plan(app: DockerApp): DockerfilePlan;
}
