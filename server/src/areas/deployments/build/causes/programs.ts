import { deployAgainHint, type KnownCause, aptfileHint } from './cause.ts';

/** Failures of builds and of running apps. */
export const programCauses: KnownCause[] = [
  [
    /JavaScript heap out of memory/,
    'Node.js ran out of heap memory.',
    `Raise the limit: \`mooring env set {slug} NODE_OPTIONS=--max-old-space-size=4096 --plain --build-time\` ${deployAgainHint}`,
  ],
  [
    /java\.lang\.OutOfMemoryError|Java heap space|GC overhead limit exceeded/,
    'Java ran out of heap memory.',
    `Raise the limit: \`mooring env set {slug} JAVA_TOOL_OPTIONS=-Xmx2g --plain --build-time\` ${deployAgainHint}`,
  ],
  [
    /cannot allocate memory|^(?:\S{1,80}: line \d+:\s+\d+ )?Killed\b|signal terminated program|exit code:? 137|signal: 9, SIGKILL|std::bad_alloc/i,
    'The machine ran out of memory.',
    `Give it more memory or swap space, or use less, ${deployAgainHint}`,
  ],
  [
    /no space left on device|\bENOSPC\b|disk quota exceeded/i,
    'The disk is full.',
    `Free some space (\`docker system prune\` removes unused images) ${deployAgainHint}`,
  ],
  [
    /error while loading shared libraries: (\S{1,60}):|(lib[\w.+-]{1,60}\.so[\d.]*): cannot open shared object file/,
    'The shared library $1 is missing.',
    aptfileHint('apt-file search $1 finds it'),
  ],
  [
    /ERR_OSSL_EVP_UNSUPPORTED|digital envelope routines::unsupported/,
    'The bundler is too old for this Node.js version.',
    `Update it, or allow old ciphers: \`mooring env set {slug} NODE_OPTIONS=--openssl-legacy-provider --plain --build-time\` ${deployAgainHint}`,
  ],
  [
    /You're using the staticfiles app without having set the STATIC_ROOT setting/,
    'The settings that Django loads have no STATIC_ROOT.',
    `Set it there, or name the module that has it: \`mooring env set {slug} DJANGO_SETTINGS_MODULE=<module> --plain --build-time\` ${deployAgainHint}`,
  ],
  [
    /(?:^|[ /])\.venv\/bin\/([\w.-]{1,60}): (?:not found|No such file or directory)$/,
    '$1 is not installed in .venv.',
    `Add it to the packages of the app, for example in requirements.txt, ${deployAgainHint}`,
  ],
  [
    /^\s*ModuleNotFoundError: No module named '([\w.]{1,80})'/,
    'Python does not find the module $1.',
    `If it belongs to a package, add that to requirements.txt or pyproject.toml. Otherwise fix the import, ${deployAgainHint}`,
  ],
  [
    /@prisma\/client did not initialize yet|Prisma Client could not locate|Prisma has detected that this project was built on/,
    'The Prisma client was not generated.',
    `Run it in the build: add "postinstall": "prisma generate" to the scripts of package.json ${deployAgainHint}`,
  ],
  [
    /(?:[Mm]issing script:? "?([\w:.-]{1,60})"?|ERR_PNPM_NO_SCRIPT.{0,40}Missing script: (\S{1,60})|Command "([\w:.-]{1,60})" not found\.)/,
    'package.json has no script "$1".',
    `Add it, or set the command: \`mooring project set {slug} buildCommand="..."\` (startCommand for the start) ${deployAgainHint}`,
  ],
  [
    /version https:\/\/git-lfs\.github\.com\/spec\/v1/,
    'A file is a Git LFS pointer instead of its content.',
    `Deploy from a folder in which \`git lfs pull\` ran, or commit the file without LFS, ${deployAgainHint}`,
  ],
  [
    /exec format error|cannot execute binary file/i,
    'A program is for another processor type, or a script has no #! line.',
    `Use an image or program for the processor of the server (\`uname -m\`) ${deployAgainHint}`,
  ],
  [
    /(?:^|: )(\.{0,2}\/[\w./-]{1,100}): Permission denied/,
    '$1 is not executable.',
    `Run \`git update-index --chmod=+x $1\`, commit ${deployAgainHint}`,
  ],
  [
    /(?:EACCES: permission denied, (?:mkdir|open|rename|copyfile)|PermissionError: \[Errno 13\] Permission denied:) '(\/[^']{1,200})'/,
    'It has no access to $1.',
    `Let it write below its own folder. Files that have to stay belong in a volume: \`mooring volume add {slug} data <folder>\`. Then deploy again.`,
  ],
  [
    /\^M: bad interpreter|env: ['‘]?\w+\\r['’]?: No such file/,
    'A script has Windows line ends.',
    `Add \`*.sh text eol=lf\` to .gitattributes, commit the script again ${deployAgainHint}`,
  ],
  [
    /EADDRINUSE/,
    'The port is in use: the app starts two servers, or listens on a fixed port.',
    `Read the port from the variable PORT ${deployAgainHint}`,
  ],
];
