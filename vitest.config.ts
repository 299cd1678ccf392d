import { defineConfig } from 'vitest/config';

const full = process.env['MOORING_TEST_FULL'] === '1';

export default defineConfig({
  test: {
    globalSetup: ['server/test/rig/global-setup.ts'],
    include: ['{server,cli,web}/{src,test}/**/*.test.ts', ...(full ? ['{server,cli,web}/test/**/*.full.ts'] : [])],
    // Shared machines lose a third of their time to neighbours now and then.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    retry: process.env['CI'] ? 1 : 0,
    maxWorkers: 2,
    reporters: ['default'],
  },
});
