import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { crashExcerpt } from '../model/crash-excerpt.ts';
import { fixHint } from './fix-hint.ts';

const inCode = 'Fix the error in the code and deploy again.';
const general = 'Fix the error and deploy again.';
const isMissing = (key: string) => `${key} is not set. Set it with \`mooring env set shop ${key}\` and deploy again.`;

const logOf = (name: string) =>
  readFileSync(join(import.meta.dirname, '../../../../test/crash-logs', `${name}.txt`), 'utf8');
const variable = (key: string, buildTime = false) => ({ key, value: 'x', secret: false, buildTime });
const config = { slug: 'shop', variables: [variable('SET'), variable('BUILT', true)] };
const hintFor = (output: string, step: 'build' | 'release' | 'start' = 'start') =>
  fixHint({ step, excerpt: crashExcerpt(output.split('\n')) }, config);

describe('hint of a failed command or app', () => {
  it.each([
    ['', 'It printed no reason. Check the start command, or let the app print its errors, and deploy again.'],
    ['sh: 1: gunicorn: not found', 'Fix the start command and deploy again.'],
    [
      "python3: can't open file '/app/a.py': [Errno 2] No such file or directory",
      'Fix the start command and deploy again.',
    ],
    ['/usr/bin/python3: No module named gunicorn', 'Fix the start command and deploy again.'],
    ['ready\nno licence', general],
    ['TypeError: fetch failed', general],
  ])('for the output %j is %s', (output, hint) => expect(hintFor(output)).toBe(hint));

  it('says that an app which exits without an error has to keep running', () => {
    const hintOf = (line: string) => fixHint({ step: 'start', isDone: true, excerpt: crashExcerpt([line]) }, config);
    expect(hintOf('hello')).toMatch(/^The start command must run a server .*`mooring project set shop startCommand=/);
    expect(hintOf('Error: no licence')).toBe(inCode);
  });

  it('says how to get a program that the build needs, where it runs without an image', () => {
    const excerpt = crashExcerpt(['/bin/sh: 1: yarn: not found']);
    expect(fixHint({ step: 'build', isOnMachine: true, excerpt }, config)).toBe(
      'A script of the app runs yarn. Add yarn to devDependencies of package.json and deploy again.',
    );
    const other = crashExcerpt(['/bin/sh: 1: ffmpeg: not found']);
    expect(fixHint({ step: 'build', isOnMachine: true, excerpt: other }, config)).toBe(
      'ffmpeg is not installed on this machine. Install it and deploy again, ' +
        'or install Docker: apps are then built in an image that has it.',
    );
    expect(fixHint({ step: 'build', excerpt }, config)).toMatch(/^Fix the error/);
  });

  it.each([
    ['python-traceback', expect.stringContaining('does not find the module flask. If it belongs to a package, add')],
    ['node-type-error', inCode],
    ['go-panic', inCode],
    ['python-environ', isMissing('SECRET_KEY')],
  ])('for the log %s', (name, hint) => expect(hintFor(logOf(name))).toEqual(hint));

  it('blames the command for a main file that is missing, and the code for another module', () => {
    const missing = (stack: string) =>
      [
        'node:internal/modules/cjs/loader:1400',
        '  throw err;',
        '  ^',
        '',
        "Error: Cannot find module '/app/server.js'",
        '    at Function._resolveFilename (node:internal/modules/cjs/loader:1397:15)',
        '    at node:internal/main/run_main_module:36:49 {',
        "  code: 'MODULE_NOT_FOUND',",
        `  requireStack: ${stack}`,
      ].join('\n');
    expect(hintFor(missing('[]'), 'release')).toBe('Fix the release command and deploy again.');
    expect(hintFor(missing("[ '/app/index.js' ]"), 'release')).toBe(inCode);
  });

  it.each([
    ["Error: Cannot find module 'express'\n    at Module._load (node:internal/modules/cjs/loader:1)", 'express is not'],
    [
      "Error [ERR_MODULE_NOT_FOUND]: Cannot find package '@acme/ui' imported from /app/server.js\n    at a (node:x:1)",
      '@acme/ui is not',
    ],
    ["Error: Cannot find module '@rollup/rollup-linux-x64-gnu'\n    at a (node:x:1)", inCode],
    ["Error: Cannot find module './routes'\n    at a (node:x:1)", inCode],
    ["Error: Cannot find module 'src/users'\n    at a (node:x:1)", inCode],
  ])('for %j says %j', (output, hint) => expect(hintFor(output)).toContain(hint));

  it.each([
    'Error: connect ECONNREFUSED 10.0.0.4:5432\n    at TCPConnectWrap.afterConnect (node:net:1637:16)',
    'Traceback (most recent call last):\n  File "/app/a.py", line 1, in <module>\n    migrate()\n' +
      'django.db.utils.OperationalError: could not translate host name "db" to address',
  ])('does not blame the code for %j', (output) => expect(hintFor(output)).toBe(general));

  it('does not blame the command of a silent process that was killed', () =>
    expect(fixHint({ step: 'start', excerpt: null, isKilled: true }, config)).toBe(general));
});

describe('hint for a missing variable', () => {
  const python = (error: string) =>
    `Traceback (most recent call last):\n  File "/app/a.py", line 1, in <module>\n${error}`;

  it.each([
    python('  File "<frozen os>", line 679, in __getitem__\nKeyError: \'API_KEY\''),
    python(
      '  File "/usr/lib/python3.9/os.py", line 679, in __getitem__\n    raise KeyError(key) from None\nKeyError: \'API_KEY\'',
    ),
    python('decouple.UndefinedValueError: API_KEY not found. Declare it as envvar or define a default value.'),
    python('django.core.exceptions.ImproperlyConfigured: Set the API_KEY environment variable'),
    python('environs.exceptions.EnvError: Environment variable "API_KEY" not set'),
    'a.rb:1:in `fetch\': key not found: "API_KEY" (KeyError)\n\tfrom a.rb:1:in `<main>\'',
    'error: Environment variable not found: API_KEY.',
    '** (RuntimeError) environment variable API_KEY is missing.',
    'Error: Missing required environment variable: API_KEY\n    at main (/app/a.js:1:1)',
    'Error: API_KEY environment variable is not set\n    at main (/app/a.js:1:1)',
    'Error: API_KEY is required\n    at main (/app/a.js:1:1)',
  ])('names it for %j', (output) => expect(hintFor(output)).toBe(isMissing('API_KEY')));

  it.each([
    python("KeyError: 'API_KEY'"),
    'ReferenceError: API_KEY is not defined\n    at main (/app/a.js:1:1)',
    'Error: URL is required\n    at main (/app/a.js:1:1)',
  ])('leaves it out for %j', (output) => expect(hintFor(output)).toBe(inCode));

  it('names the option for builds, unless builds have the variable', () => {
    const of = (key: string, step: 'build' | 'release') =>
      hintFor(`error: Environment variable not found: ${key}.`, step);
    expect(of('SET', 'build')).toBe(
      'SET is not set for builds. Set it with `mooring env set shop SET --build-time` and deploy again.',
    );
    expect(of('BUILT', 'build')).not.toContain('BUILT');
    expect(of('SET', 'release')).toBe(general);
  });
});

it('names the setting for a package index that pip cannot reach', () => {
  for (const name of ['pip-unreachable', 'pip-unresolved', 'pip-tls'])
    expect(hintFor(logOf(name), 'build')).toBe(
      'Check the network of the machine that builds, or set an index that it reaches: ' +
        '`mooring env set shop PIP_INDEX_URL=<url> --plain --build-time`.',
    );
  expect(hintFor(logOf('pip'), 'build')).not.toContain('PIP_INDEX_URL');
});
