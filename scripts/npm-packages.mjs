// Packs the command line and the client for the npm registry. In the checkout they are private and their exports are
// sources; the packages contain what was built from them.
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './paths.mjs';
import { run } from './run.mjs';

const engines = { node: '>=20.19' };

/** Writes `mooring-<version>.tgz` and `mooring-client-<version>.tgz` into a folder. Expects a built checkout. */
export async function packForNpm({ version, work, out }) {
  const cli = join(work, 'npm-cli');
  for (const name of ['bin', 'dist', 'README.md'])
    cpSync(join(root, 'cli', name), join(cli, name), { recursive: true });
  // The build has put the client into the program.
  const { private: _, dependencies: __, ...manifest } = manifestOf('cli');
  await pack(cli, { ...manifest, version, engines }, out);

  const client = join(work, 'npm-client');
  await compileClient(work, join(client, 'dist'));
  cpSync(join(root, 'client/README.md'), join(client, 'README.md'));
  const { private: ___, devDependencies: ____, exports, ...rest } = manifestOf('client');
  const built = Object.entries(exports).map(([name, source]) => [name, builtExport(source)]);
  await pack(client, { ...rest, version, engines, exports: Object.fromEntries(built) }, out);
}

const manifestOf = (workspace) => JSON.parse(readFileSync(join(root, workspace, 'package.json'), 'utf8'));

function builtExport(source) {
  const path = source.replace('./src/', './dist/').replace(/\.ts$/, '');
  return { types: `${path}.d.ts`, default: `${path}.js` };
}

async function compileClient(work, folder) {
  const sources = join(root, 'client/src');
  const compilerOptions = {
    noEmit: false,
    declaration: true,
    rewriteRelativeImportExtensions: true,
    target: 'ES2023',
    typeRoots: [join(root, 'node_modules/@types')],
    rootDir: sources,
    outDir: folder,
  };
  const config = join(work, 'client.json');
  const files = { include: [sources], exclude: [join(sources, '**/*.test.ts')] };
  writeFileSync(config, JSON.stringify({ extends: join(root, 'tsconfig.json'), compilerOptions, ...files }));
  await run(join(root, 'node_modules/.bin/tsc'), ['-p', config]);
  // The compiler rewrites the imports of the program, but not those of the types.
  for (const name of readdirSync(folder, { recursive: true }).filter((each) => each.endsWith('.d.ts'))) {
    const text = readFileSync(join(folder, name), 'utf8');
    writeFileSync(join(folder, name), text.replaceAll(/(from '\.[^']*)\.ts'/g, "$1.js'"));
  }
}

async function pack(folder, manifest, out) {
  mkdirSync(folder, { recursive: true });
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  await run('npm', ['pack', '--silent', '--pack-destination', out], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}
