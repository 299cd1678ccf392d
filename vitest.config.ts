import { globSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

const full = process.env['MOORING_TEST_FULL'] === '1';
const tests = '{server,cli,web,client}/{src,test}/**/*.test.ts';
/** They replace modules, which others must not see. */
const mocking = globSync(tests).filter((file) => readFileSync(file, 'utf8').includes('vi.mock('));

export default defineConfig({
  test: {
    globalSetup: ['server/test/rig/global-setup.ts'],
    setupFiles: ['server/test/rig/after-file.ts'],
    // Shared machines lose a third of their time to neighbours now and then.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    retry: process.env['CI'] ? 1 : 0,
    // Many tests wait for processes and containers: with two workers for each core, a quarter of the CPU time was left.
    maxWorkers: Math.min(3 * availableParallelism(), 8),
    // The buffers of the tests made V8 collect a heap of 90 MB every second or two, which took 8 % of the CPU time.
    execArgv: ['--heap-growing-percent=200'],
    reporters: ['default'],
    projects: [
      {
        extends: true,
        test: {
          name: 'tests',
          include: [tests],
          exclude: mocking,
          // Modules are loaded once for each worker, which saves 0.8 s of CPU time for each file with a service. Tests
          // that wait and tests that compute are in one project, because projects run one after the other.
          isolate: false,
          // Node loads the modules itself, which takes a quarter of the CPU time less than Vite does.
          experimental: { viteModuleRunner: false, nodeLoader: false },
        },
      },
      {
        extends: true,
        test: {
          name: 'isolated tests',
          include: [...mocking, ...(full ? ['{server,cli,web}/test/**/*.full.ts'] : [])],
        },
      },
    ],
  },
});
