/** Base image of programs that only need the C library. */
export const debian = 'debian:bookworm-slim';

/**
 * Compiler images name their Debian release; a program runs on the same or a newer one. Older versions have no such
 * tag and an older Debian.
 */
export const bookworm = (version: string, major: number, minor: number): string => {
  const [first = 0, second = Infinity] = version.split('.').map(Number);
  return first > major || (first === major && second >= minor) ? '-bookworm' : '';
};

/** CA certificates of the build stage, for outgoing TLS. */
export const certificates: [string, string, string] = [
  'build',
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/ssl/certs/ca-certificates.crt',
];
