import { z } from 'zod';

/** A folder below our data: an app for the process runtime, or a site. */
export const BuiltFolder = z.object({
  kind: z.literal('folder'),
  /** The folder in it that is served, for a site. Releases that were built before this was noted have none. */
  site: z.string().nullish(),
  /** Of what is kept: of a site its output alone. */
  bytes: z.number(),
  /** What the build took, sources and packages included, where less than that is kept. */
  takenBytes: z.number().optional(),
});
export type BuiltFolder = z.infer<typeof BuiltFolder>;

/** An image that the engine holds. */
const StoredImage = z.object({
  kind: z.literal('image'),
  image: z.string(),
  imageId: z.string(),
  bytes: z.number(),
  /** What the build took of the engine's disk, cached steps included; null where that is not known. */
  takenBytes: z.number().nullish(),
  /** Where it listens inside of its container. */
  port: z.number(),
  /** Paths that it declares as volumes. Images that were built before this was noted have none. */
  volumes: z.array(z.string()).optional(),
});
export type StoredImage = z.infer<typeof StoredImage>;

/** What a build came to, as its step's result has it. */
export type Built = BuiltFolder | StoredImage;

/** What a build of several services came to; their images are in the states. */
const BuiltStack = z.object({ kind: z.literal('stack'), bytes: z.number() });
export type BuiltStack = z.infer<typeof BuiltStack>;

export const BuildResult = z.discriminatedUnion('kind', [BuiltFolder, StoredImage, BuiltStack]);
