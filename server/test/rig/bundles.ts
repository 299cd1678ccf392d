import { execFileSync } from 'node:child_process';
import { createHash, createPrivateKey, generateKeyPairSync, sign } from 'node:crypto';
import {
  appendFileSync,
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { newFolder } from './children.ts';

const root = join(import.meta.dirname, '../../..');
const builtVersion = (JSON.parse(readFileSync(join(root, 'server/package.json'), 'utf8')) as { version: string })
  .version;

/** How a bundle is broken: `crash` at start, `migration` fails after one that works, `mute` never answers. `slow`: its
 * migration takes longer than a start may. `columns` is none: its migration adds columns that earlier versions ignore. */
export type Defect = 'crash' | 'migration' | 'mute' | 'unrunnable' | 'slow' | 'columns';

export interface ReleaseKey {
  privateKey: string;
  publicKey: string;
}

export function newReleaseKey(): ReleaseKey {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519', {
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  return { privateKey, publicKey };
}

/** Creates an unpacked release of the built output under another version. Its Node is a launcher, because a copy
 * would make every test slow. */
export function makeRelease(folder: string, version: string, key: ReleaseKey, defect?: Defect): void {
  mkdirSync(join(folder, 'bin'), { recursive: true });
  const script = (name: string, lines: string[]) => {
    writeFileSync(join(folder, 'bin', name), ['#!/bin/sh', ...lines, ''].join('\n'));
    chmodSync(join(folder, 'bin', name), 0o755);
  };
  script('node', defect === 'unrunnable' ? ['exit 127'] : [`exec ${process.execPath} "$@"`]);
  script('mooring', ['here=$(dirname "$(readlink -f "$0")")', 'exec "$here/node" "$here/../cli/bin/mooring.mjs" "$@"']);
  for (const part of ['server/dist', 'web/dist', 'cli/dist', 'cli/bin'])
    cpSync(join(root, part), join(folder, part), { recursive: true });
  cpSync(join(root, 'server/openapi.json'), join(folder, 'server/openapi.json'));
  for (const part of ['server/package.json', 'cli/package.json']) {
    const manifest = JSON.parse(readFileSync(join(root, part), 'utf8')) as object;
    writeFileSync(join(folder, part), JSON.stringify({ ...manifest, version }));
  }
  cpSync(join(root, 'install/units'), join(folder, 'units'), { recursive: true });
  appendFileSync(join(folder, 'units/mooring.service'), `# ${version}\n`);
  writeFileSync(join(folder, 'VERSION'), `${version}\n`);
  writeFileSync(join(folder, 'release-key.pem'), key.publicKey);
  for (const part of ['server/dist', 'cli/dist']) patch(join(folder, part), version, defect);
}

const newMigrations = `migrations = {
  '9998-works': async (db) => {
    await db.schema.createTable('made_by_the_new_version').addColumn('id', 'integer').execute();
    await db.updateTable('users').set({ name: 'renamed by the new version' }).execute();
  },
  '9999-fails': async () => { throw new Error('column "colour" cannot be altered'); },`;

/** Blocks the process, as SQLite does. */
const slowMigration = `migrations = {
  '9997-slow': async () => { Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 35_000); },`;

const newColumns = `migrations = {
  '9996-columns': async (db) => {
    for (const table of ['users', 'sessions', 'tokens', 'members', 'projects', 'uploads', 'deployments', 'deployment_steps'])
      await db.schema.alterTable(table).addColumn('colour', 'text', (c) => c.notNull().defaultTo('blue')).execute();
  },`;

/** The service is built without whitespace. */
const migrations = /\bmigrations\s*=\s*\{/;

function patch(folder: string, version: string, defect: Defect | undefined): void {
  for (const name of readdirSync(folder).filter((each) => /\.c?js$/.test(each))) {
    const file = join(folder, name);
    let text = readFileSync(file, 'utf8').replaceAll(`version: "${builtVersion}"`, `version: "${version}"`);
    if (defect === 'migration') text = text.replace(migrations, newMigrations);
    if (defect === 'columns') text = text.replace(migrations, newColumns);
    if (defect === 'slow') text = text.replace(migrations, slowMigration);
    if (name === 'main.js' && folder.includes('server') && defect === 'crash')
      text = text.replace(/^/, "throw new TypeError('the configuration of the new version is nonsense');\n");
    if (name === 'main.js' && folder.includes('server') && defect === 'mute')
      text = text.replace(/^/, 'await new Promise(() => setInterval(() => {}, 1000));\n');
    writeFileSync(file, text);
  }
}

type BundleOptions = { defect?: Defect; arch?: string; signedWith?: ReleaseKey };

/** Packs a release into a folder of releases, with checksums, signature and latest.json. Returns the bundle. */
export function makeBundle(releases: string, version: string, key: ReleaseKey, options: BundleOptions = {}): string {
  const { defect, arch = process.arch, signedWith = key } = options;
  const work = newFolder('bundle');
  makeRelease(join(work, `mooring-${version}`), version, key, defect);
  const name = `mooring-${version}-linux-${arch}.tar.gz`;
  execFileSync('tar', ['-C', work, '-czf', join(releases, name), `mooring-${version}`]);
  rmSync(work, { recursive: true });
  signBundle(releases, version, name, signedWith);
  writeFileSync(join(releases, 'latest.json'), JSON.stringify({ version, changelog: 'CHANGELOG.md' }));
  return join(releases, name);
}

export function signBundle(releases: string, version: string, name: string, { privateKey }: ReleaseKey): void {
  const digest = createHash('sha256')
    .update(readFileSync(join(releases, name)))
    .digest('hex');
  const sums = join(releases, `mooring-${version}.sha256`);
  writeFileSync(sums, `${digest}  ${name}\n`);
  writeFileSync(`${sums}.sig`, sign(null, readFileSync(sums), createPrivateKey(privateKey)));
}

/** Replaces a file in place, so that tests can damage it. */
export function rewrite(file: string, change: (bytes: Buffer) => Buffer): void {
  writeFileSync(`${file}.new`, change(readFileSync(file)));
  renameSync(`${file}.new`, file);
}
