import { z } from 'zod';

/** How the image of a release is built. */
const ImagePlan = z.object({
  /** Folder of the source that the build sees. */
  context: z.string(),
  /** The source's own, inside of the context, or one of ours. */
  dockerfile: z.union([z.object({ path: z.string() }), z.object({ text: z.string() })]),
  /** For a source without one. */
  dockerignore: z.string().nullable(),
  /** Where the image has a site that needs no process: it is copied out, and the image goes. */
  site: z.string().nullable(),
  /** For a project whose file system is read-only. */
  readOnly: z.object({ memory: z.array(z.string()) }).optional(),
  /** Where it listens: what the project says, and what is likely where nobody says anything. */
  port: z.object({ said: z.number().nullable(), likely: z.number() }),
});
export type ImagePlan = z.infer<typeof ImagePlan>;

/** How the release is built and started: what the project says, and what its files say where it does not. */
export const Recipe = z.object({
  installCommand: z.string().nullable(),
  buildCommand: z.string().nullable(),
  /** Null for a site, and for an image that knows itself how it is started. */
  startCommand: z.string().nullable(),
  /** What a detected start command comes to, where it is a script of one program: no package manager stays beside it. */
  startProgram: z.string().nullable().optional(),
  releaseCommand: z.string().nullable(),
  /** Set for a site that needs no process. */
  outputDirectory: z.string().nullable(),
  fallback: z.string().nullable(),
  /** Null for what is built by its commands on this machine, or not at all. */
  image: ImagePlan.nullable(),
});
export type Recipe = z.infer<typeof Recipe>;

export const isSiteRecipe = ({ outputDirectory }: Pick<Recipe, 'outputDirectory'>): boolean => outputDirectory !== null;

/** What detection knows of a source that may be why a deployment fails. */
export const DetectionHints = z.object({
  /** Folders of the apps of a monorepo that was deployed at its root. */
  apps: z.array(z.string()),
  /** Variables of the source's example file that nobody has set. */
  unset: z.array(z.string()),
});
export type DetectionHints = z.infer<typeof DetectionHints>;
