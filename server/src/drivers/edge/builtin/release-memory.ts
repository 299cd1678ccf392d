/** Below this utilization of the event loop, a collection, which takes 50 ms of CPU time, disturbs hardly anybody. */
const idleUtilization = 0.02;
const grownBytes = 10_000_000;

/** Gives memory back to the machine: 2 MB after the start, and about 15 MB after a load. V8 would keep it, because a
 * process without requests allocates nothing and so collects nothing. */
export function releaseMemoryWhenIdle(everyMs = 10_000): NodeJS.Timeout {
  let least = 0;
  let last = performance.eventLoopUtilization();
  return setInterval(() => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, last);
    last = now;
    const bytes = process.memoryUsage.rss();
    least = Math.min(least, bytes);
    if (utilization > idleUtilization || bytes - least < grownBytes) return;
    // Available because the edge is started with `--expose-gc`. Other flavors return no pages.
    globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
    least = process.memoryUsage.rss();
  }, everyMs).unref();
}
