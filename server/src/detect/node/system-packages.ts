import type { DetectFinding } from '../detect.ts';
import type { PackageJson } from '../package-json.ts';

const compiler = ['g++', 'make', 'python3'];

/** System packages of npm packages, to run and to install them. */
const needs: Record<string, { run?: string[]; build?: string[] }> = {
  prisma: { run: ['openssl'], build: ['openssl'] },
  '@prisma/client': { run: ['openssl'], build: ['openssl'] },
  puppeteer: { run: ['chromium'] },
  'puppeteer-core': { run: ['chromium'] },
  libpq: { run: ['libpq5'], build: [...compiler, 'libpq-dev'] },
  'pg-native': { run: ['libpq5'], build: [...compiler, 'libpq-dev'] },
  canvas: {
    run: ['libcairo2', 'libgif7', 'libjpeg62-turbo', 'libpango-1.0-0', 'libpangocairo-1.0-0', 'librsvg2-2'],
    build: [...compiler, 'libcairo2-dev', 'libgif-dev', 'libjpeg-dev', 'libpango1.0-dev', 'librsvg2-dev'],
  },
};

/** Packages that are compiled if there is no prebuilt binary. */
const compiled = ['bcrypt', 'better-sqlite3', 'deasync', 'grpc', 'isolated-vm', 'node-gyp', 'node-pty'].concat([
  'node-rdkafka',
  'node-sass',
  're2',
  'sqlite3',
]);

// A repository as version: `git+https://...`, `github:owner/name`, `owner/name#branch`.
const repository = /^(?:git[+:@]|github:|gitlab:|bitbucket:)|^[\w.-]{1,60}\/[\w.-]{1,100}(?:#|$)/;

/** Returns the Debian packages for the app's dependencies. */
export function systemPackages({
  allDependencies,
}: PackageJson): Pick<DetectFinding, 'systemPackages' | 'buildPackages'> {
  const known = Object.entries(needs).filter(([name]) => allDependencies.has(name));
  const isCompiled = compiled.some((name) => allDependencies.has(name));
  const isFetched = [...allDependencies.values()].some((version) => repository.test(version));
  return {
    systemPackages: [...new Set(known.flatMap(([, { run = [] }]) => run))],
    buildPackages: [
      ...new Set([
        ...known.flatMap(([, { build = [] }]) => build),
        ...(isCompiled ? compiler : []),
        ...(isFetched ? ['ca-certificates', 'git'] : []),
      ]),
    ],
  };
}
