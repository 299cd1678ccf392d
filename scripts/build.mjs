// Builds the service, the command line and the dashboard into their `dist` folders if a source is newer.
import { lstatSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { findNode24 } from './node24.mjs';
import { root } from './paths.mjs';
import { fail, run } from './run.mjs';

const stampFile = join(root, 'server', 'dist', '.built');
const sources = [
  'server/src',
  'server/package.json',
  'client/src',
  'cli/src',
  'web/src',
  'web/index.html',
  'web/public',
  'web/vite.config.ts',
  'package-lock.json',
  'scripts/build.mjs',
];

export async function buildIfNeeded() {
  const built = lstatSync(stampFile, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (sources.every((source) => newest(join(root, source)) <= built)) return;
  console.log('Building ...');
  await run(findNode24(), [join(root, 'scripts', 'build.mjs'), '--now']);
}

/** Includes folders: their mtime changes when a file in them is deleted. */
function newest(path) {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (!stat?.isDirectory()) return path.endsWith('.test.ts') ? 0 : (stat?.mtimeMs ?? 0);
  return Math.max(stat.mtimeMs, ...readdirSync(path).map((name) => newest(join(path, name))));
}

async function build() {
  const began = new Date();
  const { build: bundle } = await import('esbuild');
  const common = {
    absWorkingDir: root,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'warning',
    minifySyntax: true,
    metafile: true,
  };
  const external = ['pg-native', 'cpu-features', '*.node']; // Optional native modules.
  // The service is one script in a function, so that boot.ts can run it with code of an earlier start. Without
  // whitespace, which would stay in memory.
  const service = await bundle({
    ...common,
    format: 'cjs',
    target: 'node24',
    outfile: 'server/dist/service.cjs',
    entryPoints: ['server/src/main.ts'],
    minifyWhitespace: true,
    lineLimit: 160,
    supported: { 'dynamic-import': false },
    define: {
      'import.meta.dirname': '__dirname',
      'import.meta.filename': '__filename',
      'import.meta.url': '__fileUrl',
    },
    banner: { js: '(function (require, __filename, __dirname, __fileUrl) {' },
    footer: { js: '})' },
    external,
    plugins: [withoutUnused, quick],
  });
  // CommonJS dependencies use these, which ES modules lack.
  const banner = {
    js: [
      "import { createRequire as mooringRequire } from 'node:module';",
      'const require = mooringRequire(import.meta.url), __dirname = import.meta.dirname, __filename = import.meta.filename;',
    ].join(' '),
  };
  // Alone, so that it is one module.
  const boot = await bundle({
    ...common,
    target: 'node24',
    outdir: 'server/dist',
    entryPoints: { main: 'server/src/boot.ts' },
    plugins: [builtins],
  });
  const others = await bundle({
    ...common,
    banner,
    target: 'node24',
    splitting: true,
    outdir: 'server/dist',
    entryPoints: {
      maintenance: 'server/src/maintenance.ts',
      'detect-thread': 'server/src/detect/detect-thread.ts',
      'key-thread': 'server/src/drivers/ssh/key-thread.ts',
      'pack-thread': 'server/src/lib/archive/pack-thread.ts',
      'read-back-thread': 'server/src/drivers/storage/local/read-back-thread.ts',
    },
    external,
    plugins: [withoutUnused, quick],
  });
  // Processes of which many run: as CommonJS they use a few megabytes less than as ES modules.
  const beside = await bundle({
    ...common,
    format: 'cjs',
    target: 'node24',
    outdir: 'server/dist',
    outExtension: { '.js': '.cjs' },
    entryPoints: {
      edge: 'server/src/drivers/edge/builtin/main.ts',
      'edge-keeper': 'server/src/drivers/edge/on-server/keeper/main.ts',
      supervisor: 'server/src/drivers/runtime/process/supervisor.ts',
    },
  });
  const outputs = [service, boot, others, beside].flatMap(({ metafile }) => Object.keys(metafile.outputs));
  for (const file of outputs) escapeOthers(join(root, file));
  removeOthers('server/dist', outputs);
  await bundle({
    ...common,
    target: 'node20',
    outdir: 'cli/dist',
    entryPoints: ['cli/src/main.ts'],
    // openapi-fetch names two of them as properties.
    define: { 'globalThis.fetch': 'fetch', 'globalThis.Request': 'Request' },
    inject: ['cli/src/http.ts'],
  });
  // Vite would follow the variable of a test run, and write development code with the paths of this machine.
  process.env.NODE_ENV = 'production';
  const { build: buildPages } = await import('vite');
  await buildPages({ root: join(root, 'web'), logLevel: 'warn' });
  compress(join(root, 'web', 'dist'));
  writeFileSync(stampFile, '');
  // The time of the start, so that files edited during the build count as newer.
  utimesSync(stampFile, began, began);
}

/** Parts of Fastify that the service never runs: its schemas, its test client, HTTP/2 and versions of plugins. */
const unused = /^(@fastify\/(ajv-compiler|fast-json-stringify-compiler)|light-my-request|node:http2|semver)$/;

/** Leaves them out, and parts of Zod: its messages in other languages, and what reads JSON Schema. */
const withoutUnused = {
  name: 'without unused parts',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: unused }, ({ path, importer }) =>
      importer.includes('node_modules/fastify/') ? { path, namespace: 'unused' } : undefined,
    );
    onLoad({ filter: /./, namespace: 'unused' }, () => ({ contents: 'module.exports = {};' }));
    onLoad({ filter: /node_modules\/zod\/v4\/locales\/index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js';",
    }));
    onLoad({ filter: /node_modules\/zod\/v4\/classic\/from-json-schema\.js$/ }, () => ({
      contents: 'export const fromJSONSchema = undefined;',
    }));
    // Logs in threads.
    onLoad({ filter: /node_modules\/pino\/lib\/transport\.js$/ }, () => ({ contents: 'module.exports = {};' }));
  },
};

/** An import of a module of Node reads all its exports, and some load more modules. */
const builtins = {
  name: 'modules of Node',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:/ }, ({ path }) => ({ path, namespace: 'builtin' }));
    onLoad({ filter: /./, namespace: 'builtin' }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule('${path}');`,
    }));
  },
};

/** Modules of Node that take milliseconds to load, for what dependencies do with them at every start. */
const light = {
  'node:worker_threads': 'module.exports = { isMainThread: true };',
  'node:assert': 'module.exports = (holds, message) => holds || require("node:assert")(holds, message);',
  'node:perf_hooks': 'module.exports = { performance };',
};

/** Modules of Node that a start does not need. They are loaded when one of their exports is used. */
const later = /^node:(dns|dns\/promises|https|tls|worker_threads|zlib)$/;

function loadedLater(id) {
  const names = Object.keys(process.getBuiltinModule(id));
  return `module.exports = {${names.map((name) => `get ${name}() { return require('${id}').${name}; }`).join()}};`;
}

/** Dependencies that take less time at the start than as they are. */
const quick = {
  name: 'quick start',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(node:)?(assert|perf_hooks|worker_threads)$/ }, ({ path, importer, namespace }) =>
      namespace === 'file' && /node_modules\/(fastify|find-my-way|pino|sonic-boom)\//.test(importer)
        ? { path: `node:${path.replace('node:', '')}`, namespace: 'light' }
        : undefined,
    );
    onLoad({ filter: /./, namespace: 'light' }, ({ path }) => ({ contents: light[path] }));
    onResolve({ filter: later }, ({ path, importer, namespace }) =>
      namespace === 'file' && /\/(server\/src|node_modules\/fastify)\//.test(importer)
        ? { path, namespace: 'later' }
        : undefined,
    );
    onLoad({ filter: /./, namespace: 'later' }, ({ path }) => ({ contents: loadedLater(path) }));
    // The router compares text instead of compiling a function for each part of a path, which took longer than
    // everything else about routes.
    onLoad({ filter: /node_modules\/find-my-way\/lib\/node\.js$/ }, ({ path }) => ({
      contents: replaced(readFileSync(path, 'utf8'), 'LONG_PREFIX_MIN_LENGTH = 16', 'LONG_PREFIX_MIN_LENGTH = 2'),
    }));
    // Routes with the same parameters share a function instead of compiling one each.
    onLoad({ filter: /node_modules\/find-my-way\/lib\/handler-storage\.js$/ }, ({ path }) => ({
      contents: replaced(
        readFileSync(path, 'utf8'),
        "return new Function('NullObject', fnBody.join('\\n'))(NullObject)",
        "const code = fnBody.join('\\n'); return (HandlerStorage.made ??= {})[code] ??= new Function('NullObject', code)(NullObject)",
      ),
    }));
    onLoad({ filter: /node_modules\/zod\/v4\/classic\/schemas\.js$/ }, ({ path }) => ({
      contents: sharedSchemas.reduce((text, [part, by]) => replaced(text, part, by), readFileSync(path, 'utf8')),
    }));
  },
};

/** Equal schemas are one object: of 4,500, a third is `z.string()` and the like. Methods such as `min()` and `meta()`
 * make a copy. */
const sharedSchemas = [
  [
    'return core._string(ZodString, params)',
    'return params ? core._string(ZodString, params) : (plainString ??= core._string(ZodString))',
  ],
  ['export function string(', 'let plainString, plainBoolean, plainUnknown;\nexport function string('],
  [
    'return core._boolean(ZodBoolean, params)',
    'return params ? core._boolean(ZodBoolean, params) : (plainBoolean ??= core._boolean(ZodBoolean))',
  ],
  ['return core._unknown(ZodUnknown)', 'return (plainUnknown ??= core._unknown(ZodUnknown))'],
  ['return new ZodOptional({', 'return innerType._zod.asOptional ??= new ZodOptional({'],
  ['return new ZodNullable({', 'return innerType._zod.asNullable ??= new ZodNullable({'],
];

function replaced(text, part, by) {
  if (!text.includes(part)) throw new Error(`${part} is not in the text`);
  return text.replace(part, by);
}

/** One letter beyond Latin-1, as in a regular expression, doubles the memory that V8 needs for a file. */
function escapeOthers(file) {
  const text = readFileSync(file, 'utf8');
  const escaped = text.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  if (escaped !== text) writeFileSync(file, escaped);
}

/** Removes the files of earlier builds. Runs last, so that a failed build leaves a working one. */
function removeOthers(folder, outputs) {
  for (const name of readdirSync(join(root, folder)))
    if (!outputs.includes(`${folder}/${name}`)) rmSync(join(root, folder, name));
}

function compress(folder) {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && /\.(js|css|html|svg|json)$/.test(entry.name))
      writeFileSync(`${path}.gz`, gzipSync(readFileSync(path), { level: 9 }));
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  await (process.argv.includes('--now') ? build() : buildIfNeeded()).catch(fail);
}
