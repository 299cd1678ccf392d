import type { OriginalRestartPolicy } from './originals.ts';

export const usualGraceSeconds = 10;
/** Extra time for the engine on a busy machine. */
export const engineMarginMs = 60_000;
export const neverRestart: OriginalRestartPolicy = { name: 'no', maximumRetryCount: 0 };
