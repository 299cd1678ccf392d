import type { ReadOnly } from '../../../dockerfile/dockerfile.ts';

/** How the image of a release is built. */
export type ImagePlan = {
  /** Folder of the source that the build sees. */
  context: string;
  /** The source's own, inside of the context, or one of ours. */
  dockerfile: { path: string } | { text: string };
  /** For a source without one. */
  dockerignore: string | null;
  /** Where the image has a site that needs no process: it is copied out, and the image goes. */
  site: string | null;
  /** For a project whose file system is read-only. */
  readOnly?: ReadOnly;
  /** Where it listens: what the project says, and what is likely where nobody says anything. */
  port: { said: number | null; likely: number };
};

/** How the release is built and started: what the project says, and what its files say where it does not. */
export type Recipe = {
  installCommand: string | null;
  buildCommand: string | null;
  /** Null for a site, and for an image that knows itself how it is started. */
  startCommand: string | null;
  releaseCommand: string | null;
  /** Set for a site that needs no process. */
  outputDirectory: string | null;
  fallback: string | null;
  /** Null for what is built by its commands on this machine, or not at all. */
  image: ImagePlan | null;
};

/** Recipes of releases that were made before there were images have none. */
export const isSite = ({ outputDirectory }: Pick<Recipe, 'outputDirectory'>): boolean => outputDirectory !== null;

/** What detection knows of a source that may be why a deployment fails. */
export type DetectionHints = {
  /** Folders of the apps of a monorepo that was deployed at its root. */
  apps: string[];
  /** Variables of the source's example file that nobody has set. */
  unset: string[];
};
