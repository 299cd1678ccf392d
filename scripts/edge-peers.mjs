// Installs Caddy and nginx for comparisons, and the load generators: wrk for keep-alive connections, ab for new connections,
// h2load for HTTP/2.
import { existsSync } from 'node:fs';
import { installPackages } from './apt.mjs';
import { fail } from './run.mjs';

const packages = { caddy: 'caddy', nginx: 'nginx-light', wrk: 'wrk', ab: 'apache2-utils', h2load: 'nghttp2-client' };

const missing = Object.entries(packages).filter(
  ([program]) => !['bin', 'sbin'].some((folder) => existsSync(`/usr/${folder}/${program}`)),
);
try {
  if (missing.length) await installPackages(missing.map(([, name]) => name));
} catch (error) {
  fail(error);
}
