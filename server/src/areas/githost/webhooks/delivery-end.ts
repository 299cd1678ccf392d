import { isGitHostError } from '../../../drivers/githost/errors.ts';
import type { DeliveryRow } from './delivery-store.ts';
import type { DeliveryOutcome } from './listener.ts';

const longestPauseMs = 600_000;

/** What is written down of a delivery that is done with. */
export const ended = (status: 'handled' | 'ignored' | 'failed', outcome: DeliveryOutcome): Partial<DeliveryRow> => ({
  status,
  outcome: JSON.stringify(outcome),
  handledAt: Date.now(),
});

/** When one that failed is worth another try: later each time, and not before the host wants it. */
export function retryAt(error: unknown, attempts: number): number {
  const usual = Date.now() + Math.min(longestPauseMs, 1000 * 3 ** attempts);
  return Math.max(usual, (isGitHostError(error) && error.retryAt) || 0);
}
