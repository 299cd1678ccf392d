import { defineConfig } from 'vitest/config';

// For suites that run in an engine's network. A suite outside starts them and cleans up.
export default defineConfig({
  test: {
    include: ['server/test/edge/inside/*.inside.ts'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    maxWorkers: 1,
    reporters: ['default'],
  },
});
