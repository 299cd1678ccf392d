import { rangeAllows } from '../../detect/version-range.ts';

/** Base image of programs that only need the C library. */
export const debianImage = 'debian:bookworm-slim';

/** Whether a version such as `8.2` or `8.2.14` is at least another one. */
export const atLeast = (version: string, other: string): boolean => rangeAllows(`>=${other}`, version, {});

/**
 * Compiler images name their Debian release; a program runs on the same or a newer one. Older versions have no such
 * tag and an older Debian.
 */
export const bookwormSuffix = (version: string, major: number, minor: number): string =>
  atLeast(version, `${major}.${minor}`) ? '-bookworm' : '';

/** CA certificates of the build stage, for outgoing TLS. */
export const caCertificates: [string, string, string] = [
  'build',
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/ssl/certs/ca-certificates.crt',
];
