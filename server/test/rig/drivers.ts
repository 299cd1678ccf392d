import { tmpdir } from 'node:os';
import type { Drivers } from '../../src/app.ts';
import { createMemoryEdge } from '../../src/drivers/edge/memory.ts';
import { createGitHub } from '../../src/drivers/githost/github/github.ts';
import { localHost } from '../../src/drivers/host/local.ts';
import { createMemoryRuntime } from '../../src/drivers/runtime/memory.ts';

/** Drivers that run and serve nothing, for tests of the layers above. */
export const memoryDrivers = (): Drivers => ({
  host: localHost(),
  runtime: createMemoryRuntime(),
  edge: createMemoryEdge(),
  gitHost: createGitHub({ reach: 'private' }),
  onServer: () => Promise.reject(new Error('there are no servers here')),
  runtimeOnServer: async () => undefined,
  isBound: false,
  watch: () => {},
  close: async () => {},
  isolation: Promise.resolve({ kind: 'none', reason: null }),
  buildEnvironment: { PATH: process.env['PATH'] ?? '' },
  localSources: { roots: [tmpdir()], areConfigured: true },
});
