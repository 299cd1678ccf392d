import { describe, expect, it } from 'vitest';
import { crashExcerpt } from '../../model/crash-excerpt.ts';
import { fixHint } from '../fix-hint.ts';
import { knownCause } from './index.ts';

const hintFor = (output: string, step: 'build' | 'start' = 'build', exitCode = 1) =>
  fixHint({ step, exitCode, excerpt: crashExcerpt(output.split('\n')) }, { slug: 'shop', variables: [] });

describe('the hint of a failed build names the cause and the fix', () => {
  it.each([
    // Lines of the tools, some shortened.
    ['npm error Missing script: "build"\nnpm error\nnpm error To see a list of scripts, run:', 'no script "build"'],
    [
      'npm error code EUSAGE\nnpm error\nnpm error The `npm ci` command can only install with an existing package-lock.json or',
      'Run `npm install`, commit the file',
    ],
    [
      'npm error `npm ci` can only install packages when your package.json and package-lock.json or npm-shrinkwrap.json are in sync.',
      'package-lock.json does not match package.json',
    ],
    [
      'npm error code EBADENGINE\nnpm error engine Unsupported engine\nnpm error engine Not compatible with your version of node/npm: a@1.0.0',
      'Put the version that the app needs into .nvmrc',
    ],
    [
      'error a@1.0.0: The engine "node" is incompatible with this module. Expected version ">=99". Got "24.21.0"',
      '.nvmrc',
    ],
    [
      'npm error code E404\nnpm error 404 Not Found - GET https://registry.npmjs.org/@acme%2fthing',
      'A registry refused a dependency',
    ],
    [
      'npm error code 128\nnpm error An unknown git error occurred\nnpm error command git --no-replace-objects ls-remote ssh://git@github.com/acme/x.git',
      'Use its https address',
    ],
    [
      "× git clone --filter=blob:none --quiet 'ssh://****@github.com/acme/x.git' /tmp/a did not run successfully.\ngit@github.com: Permission denied (publickey).",
      'the build has no key',
    ],
    ['npm error code ERESOLVE\nnpm error ERESOLVE could not resolve', 'legacy-peer-deps=true'],
    ['npm error code ECONNREFUSED\nnpm error syscall connect', 'cannot reach the network'],
    [
      ' ERR_PNPM_OUTDATED_LOCKFILE  Cannot install with "frozen-lockfile" because pnpm-lock.yaml is not up to date with <ROOT>/package.json',
      'Run `pnpm install`',
    ],
    ['error Your lockfile needs to be updated, but yarn was run with `--frozen-lockfile`.', 'Run `yarn install`'],
    [
      'Your Ruby version is 3.1.2, but your Gemfile specified 9.9.9',
      'asks for Ruby 9.9.9, and the build has Ruby 3.1.2',
    ],
    [
      "django.core.exceptions.ImproperlyConfigured: You're using the staticfiles app without having set the STATIC_ROOT setting to a filesystem path.",
      '`mooring env set shop DJANGO_SETTINGS_MODULE=<module> --plain --build-time`',
    ],
    ['/bin/sh: 1: .venv/bin/gunicorn: not found', 'gunicorn is not installed in .venv.'],
    ["ModuleNotFoundError: No module named 'rest_framework'", 'does not find the module rest_framework.'],
    ['The list of sources changed\nThe dependencies in your gemfile changed', 'Gemfile.lock does not match'],
    [
      'error: the lock file /app/Cargo.lock needs to be updated but --locked was passed to prevent this',
      'Cargo.lock does not match Cargo.toml',
    ],
    ['FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory', 'max-old-space-size'],
    [
      "  opensslErrorStack: [\n  reason: 'unsupported',\n  code: 'ERR_OSSL_EVP_UNSUPPORTED'",
      'NODE_OPTIONS=--openssl-legacy-provider',
    ],
    ['Treating warnings as errors because process.env.CI = true.', 'CI=false --plain --build-time'],
    [
      '/usr/bin/ld: cannot find -lfoo: No such file or directory\ncollect2: error: ld returned 1 exit status',
      'libfoo-dev',
    ],
    [
      "Package openssl-nope was not found in the pkg-config search path.\nPackage 'openssl-nope', required by 'virtual:world', not found",
      'openssl-nope is missing',
    ],
    ['Error: pg_config executable not found.', 'libpq-dev'],
    ['error: release version 99 not supported', '.java-version'],
    [
      'go: github.com/acme/private@v1.0.0: git ls-remote -q origin in /root/go/pkg: exit status 128:\n\tfatal: could not read Username for',
      'private repository',
    ],
    [
      '- Root composer.json requires PHP extension ext-imagick * but it is missing from your system.',
      '"ext-imagick": "*"',
    ],
    [
      '  - Root composer.json requires php >=9 but your php version (8.2.1) does not satisfy that requirement.',
      'another version of PHP',
    ],
    ["Module not found: Error: Can't resolve './Header' in '/app/src'", 'upper and lower case'],
    ['✘ [ERROR] Cannot read file: /app/ff/Header.js', 'upper and lower case'],
    ["a.ts(1,7): error TS2322: Type 'string' is not assignable to type 'number'.", 'type errors'],
    ['sh: 1: ./build.sh: Permission denied', 'git update-index --chmod=+x ./build.sh'],
    ["Error: EACCES: permission denied, mkdir '/etc/todos'", 'It has no access to /etc/todos. Let it write below'],
    ["PermissionError: [Errno 13] Permission denied: '/data/app.db'", 'no access to /data/app.db'],
    ['sh: 1: ./x: Exec format error', 'processor'],
    [
      'SyntaxError: /app/x.json: Unexpected token \'v\', "version https://git-lfs.github.com/spec/v1" is not valid JSON',
      'git lfs pull',
    ],
    ['/usr/bin/env: ‘bash\\r’: No such file or directory', 'Windows line ends'],
    ['E: Unable to locate package libfoo', 'Debian has no package libfoo'],
    ["ERROR: Package 'p' requires a different Python: 3.11.2 not in '>=4'", '.python-version'],
    ['error: rustc 1.60.0 is not supported: package requires rustc 1.70', 'Rust version'],
    ['npm error code ENOSPC\nnpm error nospc ENOSPC: no space left on device, write', 'The disk is full'],
  ])('%j', (output, part) => expect(hintFor(output)).toContain(part));

  it('for a build that the kernel ended', () =>
    expect(hintFor('building', 'build', 137)).toContain('ran out of memory'));

  it('for a file that the Dockerfile copies', () =>
    expect(
      knownCause(['failed to compute cache key: failed to calculate checksum of ref a::b: "/missing.txt": not found'], {
        slug: 'shop',
        isBuild: true,
      }),
    ).toContain('The Dockerfile copies missing.txt'));

  it('and nothing else for an unknown one', () =>
    expect(hintFor('make: *** [all] Error 1')).toBe('Fix the error and deploy again. The log has the whole output.'));
});

it('does not take messages of a running app for a failed build', () => {
  expect(hintFor('Error: getaddrinfo ENOTFOUND db\n    at a (b.js:1:1)', 'start')).toBe(
    'Fix the error and deploy again.',
  );
  expect(hintFor('Error: listen EADDRINUSE: address already in use :::3000\n    at a (b.js:1:1)', 'start')).toContain(
    'PORT',
  );
});

it('is not blocked by hostile output', () => {
  const hostile = [
    'a'.repeat(2000),
    ' '.repeat(2000),
    '"/'.repeat(1000),
    'requires php '.repeat(150),
    '../'.repeat(600),
  ];
  const began = performance.now();
  knownCause(
    Array.from({ length: 400 }, (_, i) => hostile[i % hostile.length]!),
    { slug: 'a', isBuild: true },
  );
  expect(performance.now() - began).toBeLessThan(3000);
});
