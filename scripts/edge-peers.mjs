// Sees to it that Caddy is there, to be compared with, and the programs that ask it and the edge: wrk on connections that are
// kept, ab on a new one for each request, h2load in HTTP/2.
import { existsSync } from 'node:fs';
import { installPackages } from './parts.mjs';
import { fail } from './run.mjs';

const packages = { caddy: 'caddy', wrk: 'wrk', ab: 'apache2-utils', h2load: 'nghttp2-client' };

const missing = Object.entries(packages).filter(([program]) => !existsSync(`/usr/bin/${program}`));
try {
  if (missing.length) await installPackages(missing.map(([, name]) => name));
} catch (error) {
  fail(error);
}
