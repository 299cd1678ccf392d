import type { DetectFinding } from '../detect.ts';
import type { PackageJson } from '../package-json.ts';

const compiler = ['g++', 'make', 'python3'];
const browser = { run: ['chromium'] };

/** System packages of npm packages, to run and to install them. */
const needs: Record<string, { run?: string[]; build?: string[] }> = {
  prisma: { run: ['openssl'], build: ['openssl'] },
  '@prisma/client': { run: ['openssl'], build: ['openssl'] },
  puppeteer: browser,
  'puppeteer-core': browser,
  // Debian's browser brings the libraries that Playwright's own one needs.
  playwright: browser,
  'playwright-chromium': browser,
  'whatsapp-web.js': browser,
  lighthouse: browser,
  'fluent-ffmpeg': { run: ['ffmpeg'] },
  '@discordjs/voice': { run: ['ffmpeg'] },
  gm: { run: ['graphicsmagick', 'imagemagick'] },
  imagemagick: { run: ['imagemagick'] },
  pdf2pic: { run: ['ghostscript', 'graphicsmagick'] },
  'node-poppler': { run: ['poppler-utils'] },
  'node-tesseract-ocr': { run: ['tesseract-ocr'] },
  'python-shell': { run: ['python3'] },
  'simple-git': { run: ['ca-certificates', 'git'] },
  'youtube-dl-exec': { run: ['python3'], build: ['python3'] },
  odbc: { run: ['unixodbc'], build: [...compiler, 'unixodbc-dev'] },
  kerberos: { run: ['libgssapi-krb5-2'], build: [...compiler, 'libkrb5-dev'] },
  'node-libcurl': { run: ['libcurl4'], build: [...compiler, 'libcurl4-openssl-dev'] },
  libpq: { run: ['libpq5'], build: [...compiler, 'libpq-dev'] },
  'pg-native': { run: ['libpq5'], build: [...compiler, 'libpq-dev'] },
  canvas: {
    run: ['libcairo2', 'libgif7', 'libjpeg62-turbo', 'libpango-1.0-0', 'libpangocairo-1.0-0', 'librsvg2-2'],
    build: [...compiler, 'libcairo2-dev', 'libgif-dev', 'libjpeg-dev', 'libpango1.0-dev', 'librsvg2-dev', 'pkg-config'],
  },
};

/** Packages that are compiled if there is no prebuilt binary. */
const compiled = [
  '@discordjs/opus',
  'argon2',
  'bcrypt',
  'better-sqlite3',
  'cpu-features',
  'deasync',
  'farmhash',
  'grpc',
  'isolated-vm',
  'libxmljs',
  'libxmljs2',
  'mediasoup',
  'node-expat',
  'node-gyp',
  'node-pty',
  'node-rdkafka',
  'node-sass',
  're2',
  'sqlite3',
];

// A repository as version: `git+https://...`, `github:owner/name`, `owner/name#branch`.
const repository = /^(?:git[+:@]|github:|gitlab:|bitbucket:)|^[\w.-]{1,60}\/[\w.-]{1,100}(?:#|$)/;

/** Returns the Debian packages for the app's dependencies. */
export function systemPackages({
  dependencies,
  allDependencies,
}: PackageJson): Pick<DetectFinding, 'systemPackages' | 'buildPackages'> {
  const known = Object.entries(needs).filter(([name, { run }]) =>
    // A browser among the development dependencies is for tests.
    (run === browser.run ? dependencies : allDependencies).has(name),
  );
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
