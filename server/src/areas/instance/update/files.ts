import { constants, closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { z } from '../../../lib/zod/index.ts';
import { versionPattern } from '../../../lib/version-order.ts';

// The service and the updater, which runs as root, talk through files: the service writes the request into its data
// folder, the updater its status into a folder of root's.

/** The folder of the updater, which only root can write: `/var/lib/mooring-update`. */
export const updateFolder = (dataDir: string): string => `${dataDir}-update`;
export const statusFile = (dataDir: string): string => join(updateFolder(dataDir), 'status.json');
export const requestFile = (dataDir: string): string => join(dataDir, 'update-request.json');

const updateStep = z.object({
  phase: z.string(),
  message: z.string(),
  at: z.number(),
});

/** Progress and outcome of an update. Another version may have written it. */
const updateStatus = z.object({
  state: z.enum(['running', 'updated', 'went_back', 'failed']),
  from: z.string(),
  to: z.string(),
  startedAt: z.number(),
  endedAt: z.number().nullable(),
  steps: z.array(updateStep),
  /** Why it failed or went back. */
  reason: z.string().nullable(),
  /** Log lines of the new version that explain it. */
  lines: z.array(z.string()),
  /** How long the API did not respond. */
  awayMs: z.number().nullable(),
});

export type UpdateStep = z.output<typeof updateStep>;
export type UpdateStatus = z.output<typeof updateStatus>;

const request = z.object({ version: z.string().regex(versionPattern) });

/** Returns undefined if there was no update yet. */
export const readUpdateStatus = (dataDir: string): UpdateStatus | undefined =>
  readSmallJson(statusFile(dataDir), 1_000_000, updateStatus);

/** Reads the request as root, from a folder of the service's user. Throws if it is not a plain small file with a
 * version. */
export const readUpdateRequest = (dataDir: string): { version: string } | undefined =>
  readSmallJson(requestFile(dataDir), 1000, request);

function readSmallJson<T>(path: string, mostBytes: number, schema: z.ZodType<T>): T | undefined {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  let file: number;
  try {
    // O_NONBLOCK: opening a pipe would wait for its writer.
    file = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const { size } = fstatSync(file);
    if (!fstatSync(file).isFile() || size > mostBytes) throw new Error(`${path} is not a small file`);
    const bytes = Buffer.alloc(size);
    const length = readSync(file, bytes, 0, size, 0);
    return schema.parse(JSON.parse(bytes.toString('utf8', 0, length)));
  } finally {
    closeSync(file);
  }
}
