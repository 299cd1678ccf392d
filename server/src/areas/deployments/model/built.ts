import { z } from '../../../lib/zod/index.ts';

/** A folder in the data directory: an app for the process runtime, or a site. */
export const BuiltFolder = z.object({
  kind: z.literal('folder'),
  /** For a site, the folder in it that is served. Absent in releases built by older versions. */
  site: z.string().nullish(),
  /** Size of the kept folder; for a site, of its output only. */
  bytes: z.number(),
  /** Disk space that the build used, sources and packages included, if more than what is kept. */
  takenBytes: z.number().optional(),
  /** Tools that were downloaded for it: `node@22.20.0`. Others are those of the machine. */
  tools: z.array(z.string()).optional(),
});
export type BuiltFolder = z.infer<typeof BuiltFolder>;

/** An image in the container engine. */
const StoredImage = z.object({
  kind: z.literal('image'),
  image: z.string(),
  imageId: z.string(),
  bytes: z.number(),
  /** Disk space that the build used in the engine, cached steps included; null if unknown. */
  takenBytes: z.number().nullish(),
  /** The port it listens on inside its container. */
  port: z.number(),
  /** Paths that the image declares as volumes. Absent in images built by older versions. */
  volumes: z.array(z.string()).optional(),
});
export type StoredImage = z.infer<typeof StoredImage>;

/** Result of a build, as stored in the step. */
export type Built = BuiltFolder | StoredImage;

/** Result of a build of several services; their images are in the service states. */
const BuiltStack = z.object({ kind: z.literal('stack'), bytes: z.number() });
export type BuiltStack = z.infer<typeof BuiltStack>;

export const BuildResult = z.discriminatedUnion('kind', [BuiltFolder, StoredImage, BuiltStack]);
