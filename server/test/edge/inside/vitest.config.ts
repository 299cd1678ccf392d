import { defineConfig } from 'vitest/config';

// For suites that have to be in the network of an engine. They are started by one that is not, which cleans up after them.
export default defineConfig({
  test: {
    include: ['server/test/edge/inside/*.inside.ts'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    maxWorkers: 1,
    reporters: ['default'],
  },
});
