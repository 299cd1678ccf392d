import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { probeName } from '../../../drivers/storage/keys.ts';
import { type Storage, type StorageCode, StorageError, type SweepResult } from '../../../drivers/storage/storage.ts';

export type PreflightOutcome = { ok: true } | { ok: false; reason: string; code: StorageCode };

const probeBytes = 4096;
const endingMs = 3_000;
const sweepMs = 5_000;

/**
 * Writes, reads back, compares and deletes a small object. Problems are a result, not an error. With `onSwept`, also
 * sweeps leftovers of a working target.
 */
export async function preflight(
  open: () => Promise<Storage>,
  deadlineMs: number,
  onSwept?: (swept: SweepResult) => void,
): Promise<PreflightOutcome> {
  const deadline = AbortSignal.timeout(deadlineMs);
  let storage: Storage | undefined;
  try {
    storage = await Promise.race([open(), overdue(deadline)]);
    const outcome = await Promise.race([probe(storage, deadline), overdue(deadline, endingMs)]);
    if (outcome.ok && onSwept) await swept(storage, deadline, onSwept);
    return outcome;
  } catch (error) {
    if (deadline.aborted) return failed(new StorageError('timeout', `it did not answer within ${deadlineMs / 1000} s`));
    if (error instanceof StorageError) return failed(error);
    throw error;
  } finally {
    // Not awaited, so that the response is not delayed.
    storage?.close().catch(() => {});
  }
}

async function probe(storage: Storage, signal: AbortSignal): Promise<PreflightOutcome> {
  const key = probeName();
  const content = randomBytes(probeBytes);
  let problem: unknown;
  try {
    await storage.put(key, Readable.from([content]), { signal });
    const back = await buffer(await storage.get(key, { signal }));
    if (!back.equals(content)) throw new StorageError('corrupted', 'the object read back differs from the one written');
  } catch (error) {
    problem = error;
  }
  // Also after a failure, with a timeout of its own: the object may exist nevertheless.
  const ending = problem ? AbortSignal.timeout(endingMs) : signal;
  const left = await storage.delete(key, { signal: ending }).then(
    () => undefined,
    (error: unknown) => error,
  );
  if (problem) throw problem;
  if (!left) return { ok: true };
  if (!(left instanceof StorageError)) throw left;
  return {
    ok: false,
    code: left.code,
    reason: `objects can be written but not deleted: ${left.message}. The test object ${key} is still there.`,
  };
}

/** A sweep that does not finish continues next time and does not fail the test. */
async function swept(storage: Storage, deadline: AbortSignal, onSwept: (swept: SweepResult) => void): Promise<void> {
  const signal = AbortSignal.any([deadline, AbortSignal.timeout(sweepMs)]);
  const late = new Promise<void>((resolve) => signal.addEventListener('abort', () => setTimeout(resolve, 500).unref()));
  await Promise.race([storage.sweep({ signal }).then(onSwept), late]);
}

const failed = ({ code, message }: StorageError): PreflightOutcome => ({ ok: false, code, reason: message });

const overdue = (signal: AbortSignal, laterMs = 0): Promise<never> =>
  new Promise((_, reject) => {
    const end = () => setTimeout(() => reject(signal.reason as Error), laterMs).unref();
    if (signal.aborted) end();
    signal.addEventListener('abort', end, { once: true });
  });
