import { z } from '../../../lib/zod/index.ts';
import {
  BuildFailedError,
  BuildRefusedError,
  ImageTimeoutError,
  PullFailedError,
} from '../../../drivers/images/errors.ts';
import { RegistryError } from '../../../drivers/images/registry/image-registry.ts';
import type { BuildRequest, PushedImage, PushTarget } from '../../../drivers/images/images.ts';
import { EngineAwayError } from '../../../drivers/runtime/errors.ts';

// What replicas and workers tell each other through the database. A worker may be of another version: fields that are
// added later must be optional.

/** A build for a worker. Its files are in the context. */
export type BuildOrder = {
  request: Omit<BuildRequest, 'context' | 'secrets'>;
  /** Base64 */
  secrets: Record<string, string>;
  push: PushTarget;
  deadlineMs: number;
  /** Of the replica. */
  mode?: 'self-hosted' | 'cloud';
};

const Order = z.looseObject({
  request: z.looseObject({ dockerfile: z.object({ text: z.string() }), owner: z.looseObject({}) }),
  secrets: z.record(z.string(), z.string()),
  push: z.looseObject({ registry: z.string() }),
  deadlineMs: z.number(),
});

export const readOrder = (text: string): BuildOrder => Order.parse(JSON.parse(text)) as unknown as BuildOrder;

export const orderSecrets = (secrets: BuildRequest['secrets'] = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(secrets).map(([id, value]) => [id, Buffer.from(value).toString('base64')]));

export const orderedSecrets = ({ secrets }: BuildOrder): Record<string, Buffer> =>
  Object.fromEntries(Object.entries(secrets).map(([id, value]) => [id, Buffer.from(value, 'base64')]));

const Failure = z.object({
  kind: z.string(),
  message: z.string(),
  exitCode: z.number().optional(),
  instruction: z.string().optional(),
  lastLines: z.array(z.string()).optional(),
  diskFull: z.boolean().optional(),
  hint: z.string().optional(),
});
type Failure = z.infer<typeof Failure>;

const Outcome = z.union([
  z.object({ pushed: z.object({ repository: z.string(), tag: z.string(), digest: z.string() }), bytes: z.number() }),
  z.object({ failure: Failure }),
]);
export type BuildOutcome = { pushed: PushedImage; bytes: number } | { failure: Failure };

export const readOutcome = (text: string): BuildOutcome => Outcome.parse(JSON.parse(text)) as BuildOutcome;

const known = { BuildRefusedError, PullFailedError };

export const buildFailureOf = (error: Error): Failure => ({
  kind: error.name,
  message: error.message,
  ...(error instanceof RegistryError && { hint: error.hint }),
  ...(error instanceof BuildFailedError && {
    lastLines: error.lastLines,
    diskFull: error.diskFull,
    ...(error.exitCode !== undefined && { exitCode: error.exitCode }),
    ...(error.instruction !== undefined && { instruction: error.instruction }),
  }),
});

/** Returns the error that the build would have thrown here. */
export function buildErrorOf({ kind, message, hint = '', ...facts }: Failure, deadlineMs: number): Error {
  if (kind === 'BuildFailedError') return Object.assign(new BuildFailedError(''), { message, ...facts });
  if (kind === 'ImageTimeoutError') return new ImageTimeoutError('the build', deadlineMs);
  if (kind === 'RegistryError') return new RegistryError(message, hint);
  if (kind === 'EngineAwayError') return new EngineAwayError(new Error(message));
  return Object.hasOwn(known, kind) ? new known[kind as keyof typeof known](message) : new Error(message);
}

export type OutputLine = [line: string, stream: 'stdout' | 'stderr'];
const Lines = z.array(z.tuple([z.string(), z.enum(['stdout', 'stderr'])]));
export const lineBatch = (text: string): OutputLine[] => Lines.parse(JSON.parse(text));
