const everyBytes = 16_000_000;
let passed = 0;

/** Counts what goes through. What was read lies outside of V8's own memory, which looks for what is over when its own is full: a
 * thousand pieces of 64 KB later. So it is told to look, at what is young, which takes less than a millisecond. */
export function countPassed(bytes: number): void {
  passed += bytes;
  if (passed < everyBytes) return;
  passed = 0;
  // There with the flag that the edge is started with.
  globalThis.gc?.({ type: 'minor' });
}
