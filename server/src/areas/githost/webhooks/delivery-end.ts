import { isGitHostError } from '../../../drivers/githost/errors.ts';
import type { DeliveryRow } from './delivery-store.ts';
import type { DeliveryOutcome } from './listener.ts';

const longestPauseMs = 600_000;

/** Returns the final columns of a delivery. */
export const endedDelivery = (
  status: 'handled' | 'ignored' | 'failed',
  outcome: DeliveryOutcome,
): Partial<DeliveryRow> => ({
  status,
  outcome: JSON.stringify(outcome),
  handledAt: Date.now(),
});

/** Returns the time of the next attempt: exponential backoff, but not before the git host's retry time. */
export function nextAttemptAt(error: unknown, attempts: number): number {
  const usual = Date.now() + Math.min(longestPauseMs, 1000 * 3 ** attempts);
  return Math.max(usual, (isGitHostError(error) && error.retryAt) || 0);
}
