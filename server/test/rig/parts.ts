/** The real parts that are not on this machine, as `scripts/test.mjs` found; suites that need them are left out and named. */
const missing = new Set((process.env['MOORING_TEST_MISSING'] ?? '').split(',').filter(Boolean));

export type Part =
  | 'postgres'
  | 'chromium'
  | 'sshd'
  | 'docker'
  | 'registry'
  | 'redis'
  | 'languages'
  | 'swift'
  | 'moto'
  | 'compose'
  | 'proftpd'
  | 'gh'
  | 'prism'
  | 'pebble';

export const has = (part: Part): boolean => !missing.has(part);
