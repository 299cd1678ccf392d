import type { Parts } from './parts.ts';

/** An engine counts for minutes when it has much. */
const everyMs = 3_600_000;

/** Once in a while: what builds left for the next ones is kept within bounds. */
export function pruneCache(): (on: { parts: Parts }) => Promise<void> {
  let last = Date.now();
  return async ({ parts: { containers, buildCacheBytes } }) => {
    if (!containers || Date.now() - last < everyMs) return;
    last = Date.now();
    await containers.images.prune(buildCacheBytes);
  };
}
