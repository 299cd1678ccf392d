import { defineConfig } from 'vitest/config';

const full = process.env['MOORING_TEST_FULL'] === '1';

export default defineConfig({
  test: {
    globalSetup: ['server/test/rig/global-setup.ts'],
    include: ['{server,cli,web}/{src,test}/**/*.test.ts', ...(full ? ['{server,cli,web}/test/**/*.full.ts'] : [])],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    reporters: ['default'],
  },
});
