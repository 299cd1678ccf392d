import { deployAgainHint, type KnownCause, aptfileHint } from './cause.ts';

/** What a build lacks, and quirks of its tools. */
export const systemCauses: KnownCause[] = [
  // Network
  [
    /getaddrinfo (?:ENOTFOUND|EAI_AGAIN)|Could not resolve host|Temporary failure in name resolution|Temporary failure resolving|network is unreachable|npm (?:ERR!|error) code (?:ECONNREFUSED|ETIMEDOUT|ECONNRESET)|ERR_SOCKET_TIMEOUT|getaddrinfo for \S+ failed/i,
    'The machine that builds cannot reach the network, or the package index does not answer.',
    `Check its network and name servers ${deployAgainHint}`,
  ],
  // PHP extensions
  [
    /requires? (?:PHP extension )?ext-(\w+)\b.{0,80}(?:missing|not (?:installed|present)|enable)|ext-(\w+) .{0,40}it is missing from your system/,
    'The PHP extension $1 is missing.',
    `Add "ext-$1": "*" to "require" of composer.json, so that it is installed, ${deployAgainHint}`,
  ],
  // System libraries and compilers
  [
    /pg_config executable not found|pg_config is required/,
    'The PostgreSQL library is missing.',
    aptfileHint('libpq-dev'),
  ],
  [
    /mysql_config(?:: | )?not found|Can ?not find valid pkg-config name|MYSQLCLIENT_CFLAGS/,
    'The MySQL library is missing.',
    aptfileHint('default-libmysqlclient-dev and pkg-config'),
  ],
  [
    /Could not find directory of OpenSSL|openssl-sys.{0,80}failed|Package openssl was not found/,
    'The OpenSSL library is missing.',
    aptfileHint('libssl-dev and pkg-config'),
  ],
  [/cannot find -l(\S{1,60}?)(?::|$)/, 'The library lib$1 is missing.', aptfileHint('often lib$1-dev')],
  [
    /Package '?([\w.+-]{1,60})'?(?:, required by|\s+was not found in the pkg-config)/,
    'The library $1 is missing.',
    aptfileHint('often lib$1-dev'),
  ],
  [
    /fatal error: ([\w./+-]{1,80}\.h): No such file/,
    'The header $1 is missing.',
    aptfileHint('a package with -dev at the end of its name'),
  ],
  [
    /unable to execute '(?:x86_64-linux-gnu-)?(?:gcc|cc|g\+\+)'|(?:gcc|g\+\+|cc|make|cmake): (?:command )?not found|linker `cc` not found|gyp ERR! stack Error: not found: make|CMake must be installed/,
    'A dependency is compiled, and the build has no compiler.',
    aptfileHint('build-essential'),
  ],
  [
    /E: Unable to locate package (\S{1,80})|Package '(\S{1,80})' has no installation candidate/,
    'Debian has no package $1.',
    `Correct its name in Aptfile, nixpacks.toml or the Dockerfile ${deployAgainHint}`,
  ],
  // Known quirks
  [
    /Treating warnings as errors because process\.env\.CI = true/,
    'Warnings count as errors, because the build sets CI=true.',
    `Fix the warnings, or turn this off: \`mooring env set {slug} CI=false --plain --build-time\` ${deployAgainHint}`,
  ],
  [
    /failed to (?:calculate|compute) (?:checksum|cache key).{0,300}"\/([^"]{1,200})": not found|COPY failed: file not found in build context.{0,100}stat ([^:\s]{1,200})|forbidden path outside the build context/,
    'The Dockerfile copies $1, which the build does not get.',
    `Commit the file, and check that .dockerignore and .gitignore do not exclude it, ${deployAgainHint}`,
  ],
  [
    /Can't resolve '(\.[^']{1,200})'|Could not resolve "(\.[^"]{1,200})"|Cannot find module '(\.[^']{1,200})' or its corresponding type|Cannot read file: \S*\/([\w.-]{1,100})/,
    'The file $1 does not exist in the source.',
    `Check upper and lower case in its name, which counts on Linux, and that the file is committed, ${deployAgainHint}`,
  ],
  [
    /error TS\d{3,5}: |Type error: |Found \d+ errors? in \d+ file/,
    'The TypeScript code has type errors.',
    `Run the build command on your machine, fix the errors ${deployAgainHint}`,
  ],
  [
    /✖ \d+ problems? \(\d+ errors?|ESLint: .{0,40}error/i,
    'The linter reports errors.',
    `Fix them, or remove the linter from the build, ${deployAgainHint}`,
  ],
];
