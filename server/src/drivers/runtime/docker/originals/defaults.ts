import type { OriginalRestartPolicy } from './originals.ts';

export const usualGraceSeconds = 10;
/** Extra time for the engine on a busy machine. */
export const patienceMs = 60_000;
export const never: OriginalRestartPolicy = { name: 'no', maximumRetryCount: 0 };
