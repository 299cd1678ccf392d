const everyBytes = 16_000_000;
let passed = 0;

/** Counts forwarded bytes. Buffers live outside the V8 heap, so V8 collects them only after about a thousand 64 KB
 * chunks. Triggering a minor collection takes less than a millisecond and keeps memory low. */
export function countPassed(bytes: number): void {
  passed += bytes;
  if (passed < everyBytes) return;
  passed = 0;
  // Available because the edge is started with `--expose-gc`.
  globalThis.gc?.({ type: 'minor' });
}
