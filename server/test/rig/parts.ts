/** The real parts that this machine lacks, from `scripts/test.mjs`; suites that need them are skipped and reported. */
const missing = new Set((process.env['MOORING_TEST_MISSING'] ?? '').split(',').filter(Boolean));

export type Part =
  | 'postgres'
  | 'chromium'
  | 'sshd'
  | 'docker'
  | 'systemd'
  | 'registry'
  | 'redis'
  | 'mariadb'
  | 'languages'
  | 'swift'
  | 'moto'
  | 'compose'
  | 'proftpd'
  | 'haproxy'
  | 'gh'
  | 'prism'
  | 'pebble'
  | 'age';

export const has = (part: Part): boolean => !missing.has(part);
