import { z } from '../../../lib/zod/index.ts';

/** How a release's image is built. */
const ImagePlan = z.object({
  /** Folder of the source that is the build context. */
  context: z.string(),
  /** The source's own Dockerfile inside the context, or a generated one. */
  dockerfile: z.union([z.object({ path: z.string() }), z.object({ text: z.string() })]),
  /** Used if the source has none. */
  dockerignore: z.string().nullable(),
  /** Path of a static site in the image: the site is copied out and the image is removed. */
  site: z.string().nullable(),
  /** For a project with a read-only file system. */
  readOnly: z.object({ memory: z.array(z.string()) }).optional(),
  /** Port that it listens on: as configured, and the likely one if it is not. */
  port: z.object({ said: z.number().nullable(), likely: z.number() }),
});
export type ImagePlan = z.infer<typeof ImagePlan>;

/** What an app needs of the machine that builds and runs it without an image. */
const Needs = z.object({
  language: z.string().nullable(),
  /** As detected: a version prefix, and the range that it was chosen from. */
  languageVersion: z.string().nullable(),
  languageRequest: z.object({ said: z.string(), range: z.string(), from: z.string() }).nullable(),
  packageManager: z.string().nullable(),
  packageManagerVersion: z.string().nullable(),
  /** Other languages and package managers that scripts call. Missing in older rows. */
  otherLanguages: z.array(z.string()).optional(),
  /** Debian packages. */
  packages: z.array(z.string()),
});
export type RecipeNeeds = z.infer<typeof Needs>;

/** How a release is built and started: from the project's settings, or else as detected from its files. */
export const Recipe = z.object({
  installCommand: z.string().nullable(),
  buildCommand: z.string().nullable(),
  /** Null for a site, and for an image with its own start command. */
  startCommand: z.string().nullable(),
  /**
   * The program that a detected start script runs, if it is a single one: avoids a package manager as parent process.
   */
  startProgram: z.string().nullable().optional(),
  releaseCommand: z.string().nullable(),
  /** Set for a static site. */
  outputDirectory: z.string().nullable(),
  fallback: z.string().nullable(),
  /** Null if it is built by commands on this machine, or not at all. */
  image: ImagePlan.nullable(),
  /** Set if there is no image. Missing in older rows. */
  needs: Needs.optional(),
  /** Variables and health check path of the source's settings files; missing in older rows. */
  defaults: z.array(z.object({ key: z.string(), value: z.string() })).optional(),
  healthPath: z.string().nullish(),
  /** Secrets that were generated in this deployment; only in the sealed stack. */
  generated: z.array(z.object({ key: z.string(), value: z.string() })).optional(),
});
export type Recipe = z.infer<typeof Recipe>;

/** Whether a site is served from the folder of its source. */
export const isRootSite = ({ outputDirectory }: Pick<Recipe, 'outputDirectory'>): boolean =>
  outputDirectory === '' || outputDirectory === '.';
export const isSiteRecipe = ({ outputDirectory }: Pick<Recipe, 'outputDirectory'>): boolean => outputDirectory !== null;

/** Findings of detection: the first two may explain a failed deployment. */
export const DetectionHints = z.object({
  /** App folders of a monorepo that was deployed at its root. */
  apps: z.array(z.string()),
  /** Variables of the source's example file that are not set. */
  unset: z.array(z.string()),
  /** Warnings about data that no volume keeps; missing in older rows. */
  losses: z.array(z.string()).optional(),
});
export type DetectionHints = z.infer<typeof DetectionHints>;
