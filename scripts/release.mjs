// `npm run release`: builds the signed bundles of this commit into `release/`. Two builds of one commit are byte-equal.
import { spawnSync } from 'node:child_process';
import { createHash, createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { findNode24 } from './node24.mjs';
import { packForNpm } from './npm-packages.mjs';
import { root } from './paths.mjs';
import { fail, run } from './run.mjs';

const architectures = ['x64', 'arm64'];
const { values: options } = parseArgs({
  options: {
    out: { type: 'string', default: join(root, 'release') },
    arch: { type: 'string', multiple: true, default: architectures },
    url: { type: 'string', default: '' },
    'any-key': { type: 'boolean', default: false },
  },
});

/** What a bundle contains besides its Node, by its path there. */
const contents = {
  'bin/mooring': 'install/mooring',
  'cli/bin': 'cli/bin',
  'cli/dist': 'cli/dist',
  'server/dist': 'server/dist',
  'web/dist': 'web/dist',
  units: 'install/units',
  LICENSE: 'LICENSE',
  'CHANGELOG.md': 'CHANGELOG.md',
};

async function release() {
  const key = signingKey();
  const version = versionOfCommit();
  const unknown = options.arch.find((arch) => !architectures.includes(arch));
  if (unknown) throw new Error(`--arch ${unknown}: must be ${architectures.join(' or ')}`);
  if (!existsSync(join(root, 'node_modules/.bin/tsc')))
    throw new Error('the development tools are missing; run: npm ci');
  await run(findNode24(), [join(root, 'scripts', 'build.mjs'), '--now']);
  const out = resolve(options.out);
  mkdirSync(out, { recursive: true });
  const work = mkdtempSync(join(tmpdir(), 'mooring-release-'));
  try {
    const bundles = [];
    for (const arch of options.arch) bundles.push(await writeBundle({ arch, version, key, work, out }));
    const sums = bundles.map((file) => `${sha256(file)}  ${basename(file)}\n`).join('');
    writeFileSync(join(out, `mooring-${version}.sha256`), sums);
    writeFileSync(join(out, `mooring-${version}.sha256.sig`), sign(null, Buffer.from(sums), key));
    writeFileSync(join(out, 'install.sh'), installer(key), { mode: 0o755 });
    await packForNpm({ version, work, out });
    cpSync(join(root, 'CHANGELOG.md'), join(out, 'CHANGELOG.md'));
    writeFileSync(join(out, 'latest.json'), `${JSON.stringify({ version, changelog: 'CHANGELOG.md' })}\n`);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  console.log(`Mooring ${version} is in ${out}`);
}

/** The key of MOORING_RELEASE_KEY, which must be the project's own unless `--any-key` is given. */
function signingKey() {
  const file = process.env.MOORING_RELEASE_KEY;
  if (!file) throw new Error('MOORING_RELEASE_KEY is missing: the PEM file of the Ed25519 key that signs the release');
  const key = createPrivateKey(readFileSync(file));
  if (key.asymmetricKeyType !== 'ed25519') throw new Error(`MOORING_RELEASE_KEY: ${file} is no Ed25519 key`);
  if (!options['any-key'] && publicHalf(key) !== readFileSync(join(root, 'install', 'release-key.pem'), 'utf8'))
    throw new Error(`MOORING_RELEASE_KEY: ${file} does not belong to install/release-key.pem (--any-key ignores this)`);
  return key;
}

const publicHalf = (key) => createPublicKey(key).export({ type: 'spki', format: 'pem' });

/** As in `server/src/lib/version-order.ts`: what the updater accepts. */
const versionPattern = /^\d{1,6}\.\d{1,6}\.\d{1,6}(?:-[0-9A-Za-z]{1,20}(?:\.[0-9A-Za-z]{1,20}){0,4})?$/;

/** The tag of the commit, or the version of the package and the commit. */
function versionOfCommit() {
  const isClean = succeed(git('status', '--porcelain')) === '';
  const tags = succeed(git('tag', '--points-at', 'HEAD'))
    .split('\n')
    .filter((each) => /^v\d/.test(each));
  // A tag such as v1.2 may follow the latest v1.2.3.
  const tag = tags.find((each) => versionPattern.test(each.slice(1)));
  if (tag && isClean) return tag.slice(1);
  if (tags[0] && isClean)
    throw new Error(`the tag ${tags[0]} is not a version such as v1.2.3 or v1.2.3-rc.1; updates need one`);
  const { version } = JSON.parse(readFileSync(join(root, 'server', 'package.json'), 'utf8'));
  const commit = succeed(git('rev-parse', 'HEAD')).slice(0, 8);
  return `${version}-${commit}${isClean ? '' : '.dirty'}`;
}

async function writeBundle({ arch, version, key, work, out }) {
  const name = `mooring-${version}`;
  const folder = join(work, arch, name);
  for (const [to, from] of Object.entries(contents)) cpSync(join(root, from), join(folder, to), { recursive: true });
  rmSync(join(folder, 'server/dist/.built'));
  for (const workspace of ['server', 'cli']) {
    const manifest = JSON.parse(readFileSync(join(root, workspace, 'package.json'), 'utf8'));
    writeJson(join(folder, workspace, 'package.json'), { ...manifest, version });
  }
  const openApi = JSON.parse(readFileSync(join(root, 'server/openapi.json'), 'utf8'));
  writeJson(join(folder, 'server/openapi.json'), { ...openApi, info: { ...openApi.info, version } });
  const node = await nodeFor(arch);
  cpSync(join(node, 'bin/node'), join(folder, 'bin/node'));
  cpSync(join(node, 'LICENSE'), join(folder, 'LICENSE-node'));
  writeFileSync(join(folder, 'install.sh'), installer(key));
  chmodSync(join(folder, 'install.sh'), 0o755);
  writeFileSync(join(folder, 'release-key.pem'), publicHalf(key));
  writeFileSync(join(folder, 'VERSION'), `${version}\n`);
  const file = join(out, `${name}-linux-${arch}.tar.gz`);
  // Nothing of this machine or moment may be in the file: no order of the disk, times, users or rights.
  const rights = ['--owner=0', '--group=0', '--numeric-owner', '--mode=u=rwX,go=rX'];
  const order = ['--sort=name', `--mtime=@${succeed(git('log', '-1', '--format=%ct'))}`];
  const tar = join(work, `${arch}.tar`);
  await run('tar', ['--format=ustar', ...order, ...rights, '-cf', tar, '-C', join(work, arch), name], {
    env: { ...process.env, LC_ALL: 'C' },
  });
  await run('sh', ['-c', 'gzip -n < "$1" > "$2"', 'sh', tar, file]);
  rmSync(tar);
  return file;
}

/** The installer carries the key that checks the bundle, because nothing else on the machine is trusted yet. */
function installer(key) {
  const text = readFileSync(join(root, 'install', 'install.sh'), 'utf8');
  return text
    .replace(/-----BEGIN PUBLIC KEY-----[^']*-----END PUBLIC KEY-----\n?/, publicHalf(key))
    .replace(/^default_url=.*$/m, `default_url='${options.url}'`);
}

/** The folder of the Node package for an architecture: the installed one, or one fetched and checked once. */
async function nodeFor(arch) {
  const name = `node-linux-${arch}`;
  const installed = join(root, 'node_modules', name);
  if (existsSync(join(installed, 'bin/node'))) return installed;
  const { version, integrity } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages[
    `node_modules/${name}`
  ];
  const cache = join(root, 'node_modules/.cache', `${name}-${version}`);
  if (existsSync(join(cache, 'package/LICENSE'))) return join(cache, 'package');
  mkdirSync(cache, { recursive: true });
  await run('npm', ['pack', `${name}@${version}`, '--pack-destination', cache, '--silent']);
  const archive = join(cache, `${name}-${version}.tgz`);
  const sum = createHash('sha512').update(readFileSync(archive)).digest('base64');
  if (integrity !== `sha512-${sum}`) throw new Error(`${archive} is not the file of package-lock.json`);
  await run('tar', ['-xzf', archive, '-C', cache, 'package/bin/node', 'package/LICENSE']);
  rmSync(archive);
  return join(cache, 'package');
}

const git = (...args) => spawnSync('git', args, { cwd: root, encoding: 'utf8' });

function succeed({ status, stdout, stderr, error }) {
  if (status !== 0) throw error ?? new Error(`git failed: ${stderr.trim()}`);
  return stdout.trim();
}

const sha256 = (file) => createHash('sha256').update(readFileSync(file)).digest('hex');
const writeJson = (file, value) => writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);

await release().catch(fail);
