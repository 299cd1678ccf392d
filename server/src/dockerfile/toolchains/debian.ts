/** What runs programs that bring everything but the C library. */
export const debian = 'debian:bookworm-slim';

/** Images of compilers say which Debian they are; a program runs on the same or a newer one. Older versions have no such
 * tag, and are of an older Debian. */
export const bookworm = (version: string, major: number, minor: number): string => {
  const [first = 0, second = Infinity] = version.split('.').map(Number);
  return first > major || (first === major && second >= minor) ? '-bookworm' : '';
};

/** The certificates of the stage that built it, so that the program can call others. */
export const certificates: [string, string, string] = [
  'build',
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/ssl/certs/ca-certificates.crt',
];
